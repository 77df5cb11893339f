package report

import (
	"errors"
	"image/color"
	"math"
	"os"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"zset.dev/operator/hack/bench/measure"
)

// Plot is lines over a number of members, drawn at the medians with bars from least to greatest.
type Plot struct {
	Title, X, Y string
	LogX, LogY  bool
	Series      []Series
}

// Series is a line. Lines of one Group have one colour and different dashes.
type Series struct {
	Name   string
	Group  int
	Points []Point
}

// Point is what was measured at X.
type Point struct {
	X float64
	measure.Summary
}

// The colours are told apart by those who do not see red and green alike, and in grey.
var colours = []color.Color{
	color.RGBA{0x00, 0x5a, 0xb5, 0xff}, color.RGBA{0x2d, 0x2d, 0x2d, 0xff}, color.RGBA{0xdc, 0x6b, 0x00, 0xff},
	color.RGBA{0x00, 0x8a, 0x6a, 0xff}, color.RGBA{0xb0, 0x3a, 0x8c, 0xff}, color.RGBA{0x8a, 0x6d, 0x1f, 0xff},
	color.RGBA{0x6a, 0x9f, 0xd8, 0xff}, color.RGBA{0x99, 0x99, 0x99, 0xff},
}

var dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(3)}, {vg.Points(2), vg.Points(2)}, {vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)}}

var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}}

// Save writes the plot to an SVG file. Each of its series must have a point.
func (p Plot) Save(path string) error {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.Title, p.X, p.Y
	out.Title.Padding = vg.Points(8)
	out.Add(plotter.NewGrid())
	out.X.Tick.Marker = counts{p.LogX}
	if p.LogX {
		out.X.Scale = plot.LogScale{}
	}
	if p.LogY {
		out.Y.Scale = plot.LogScale{}
		out.Y.Tick.Marker = plain{}
	} else {
		out.Y.Min = 0
	}
	legend, inGroup := plot.NewLegend(), map[int]int{}
	legend.Top, legend.Left, legend.Padding = true, true, vg.Points(3)
	legend.TextStyle.Font.Size = vg.Points(11)
	for _, s := range p.Series {
		form := inGroup[s.Group]
		inGroup[s.Group]++
		if err := s.add(out, &legend, form); err != nil {
			return err
		}
	}
	if p.LogY {
		out.Y.Min, out.Y.Max = round(out.Y.Min, false), round(out.Y.Max, true)
	}
	return draws(out, legend, path)
}

// round takes a value down or up to 1, 2 or 5 times a power of ten.
func round(v float64, up bool) float64 {
	base := math.Pow(10, math.Floor(math.Log10(v)))
	result := base
	for _, step := range []float64{1, 2, 5, 10} {
		switch {
		case up && step*base >= v:
			return step * base
		case !up && step*base <= v:
			result = step * base
		}
	}
	return result
}

// draws puts the plot and, at its right, the legend on a canvas and writes that.
func draws(out *plot.Plot, legend plot.Legend, path string) error {
	const width, height, aside = 10.4 * vg.Inch, 5 * vg.Inch, 2.4 * vg.Inch
	canvas := vgsvg.New(width, height)
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	out.Draw(draw.Crop(all, vg.Points(8), -aside, vg.Points(8), -vg.Points(8)))
	legend.Draw(draw.Crop(all, width-aside+vg.Points(22), 0, 0, -vg.Points(36)))
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(file)
	return errors.Join(err, file.Close())
}

func (s Series) add(out *plot.Plot, legend *plot.Legend, form int) error {
	var points plotter.XYs
	var bars plotter.YErrors
	for _, p := range s.Points {
		points = append(points, plotter.XY{X: p.X, Y: p.Median})
		bars = append(bars, struct{ Low, High float64 }{p.Median - p.Min, p.Max - p.Median})
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	spread, err := plotter.NewYErrorBars(struct {
		plotter.XYs
		plotter.YErrors
	}{points, bars})
	if err != nil {
		return err
	}
	colour := colours[s.Group%len(colours)]
	line.Color, line.Width, line.Dashes = colour, vg.Points(1.5), dashes[form%len(dashes)]
	dots.Color, dots.Radius, dots.Shape = colour, vg.Points(2.5), shapes[form%len(shapes)]
	spread.Color, spread.Width = colour, vg.Points(0.8)
	out.Add(line, dots, spread)
	legend.Add(s.Name, line, dots)
	return nil
}

// counts marks an axis with numbers of members.
type counts struct{ log bool }

func (c counts) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	if !c.log {
		for _, t := range (plot.DefaultTicks{}).Ticks(low, high) {
			if t.Label != "" {
				t.Label = Count(int(t.Value))
			}
			ticks = append(ticks, t)
		}
		return ticks
	}
	return decades(low, high, func(v float64) string { return Count(int(v)) })
}

// plain marks a logarithmic axis with plain numbers.
type plain struct{}

func (plain) Ticks(low, high float64) []plot.Tick {
	return decades(low, high, func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) })
}

// decades marks the powers of ten, and 2 and 5 times these where there are few, with small marks between.
func decades(low, high float64, label func(float64) string) (ticks []plot.Tick) {
	few := high/low < 300
	for power := math.Floor(math.Log10(low)); power <= math.Ceil(math.Log10(high)); power++ {
		base := math.Pow(10, power)
		for i := 1; i < 10; i++ {
			tick := plot.Tick{Value: base * float64(i)}
			if i == 1 || few && (i == 2 || i == 5) {
				tick.Label = label(tick.Value)
			}
			if low <= tick.Value*1.000001 && tick.Value <= high*1.000001 {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}
