package script

import (
	"strings"
	"testing"
)

// Whatever the libraries are fed, they answer or fail; they never panic.
func FuzzLibraries(f *testing.F) {
	for _, seed := range []string{`{"a":[1,null,"\u00e9"]}`, "[[[[", "\x93\x01\xa1a\xc0", "\xdd\xff\xff\xff\xff", "\xdf\x00\x00\x00\x01\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00\x01", ">I2i4c0s!8d", "1e400", "0x1p"} {
		f.Add(seed, "<I4")
	}
	f.Add("abc", "c0i32")
	e := NewEngine()
	f.Fuzz(func(t *testing.T, data, format string) {
		if len(data) > 1<<16 {
			t.Skip()
		}
		got := eval(t, e, 3, &fakeHost{}, `
local data, format = ARGV[1], ARGV[2]
local function try(f, ...) local ok, a = pcall(f, ...) if ok then return a end end
local v = try(cjson.decode, data)
if v ~= nil then try(cjson.encode, v) try(cmsgpack.pack, v) end
v = try(cmsgpack.unpack, data)
if v ~= nil then try(cjson.encode, v) try(cmsgpack.pack, v) end
try(struct.unpack, format, data) try(struct.size, format) try(struct.pack, format, 1, 2, data)
try(string.format, format, 1, data) try(string.find, data, format) try(string.gsub, data, format, data)
return 1`, data, format)
		if got != ":1\r\n" && !strings.Contains(got, "memory") {
			t.Errorf("%q", got)
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{"return 1", "#!lua flags=no-writes\nreturn 1", "t[1], x = f(), 2", "local t = {[1]=2, f()} return t .. 'x' .. 1", "for i=1,2 do end"} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, source string) { Compile(source) })
}
