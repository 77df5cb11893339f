# shim.tcl: stands between a published Tcl suite and the runner (the Go program beside this file).
#
#   tclsh shim.tcl PORT        run in the root of the suite's sources; PORT is the runner's
#
# The suite's own orchestration starts one kind of server and gives up at the first exception. Here the runner decides:
# each test asks whether it is to run, each block of tests gets a node from the runner, and what happened is told to
# the runner. No test is changed. What differs from the suite's own run:
#
# - Every block of tests gets a node of its own, with the directives it asks for. So the tests run that the suite leaves out
#   when it is pointed at a server somebody else started: those that restart it or need other directives.
# - An exception ends its test, not the file; a statement between tests that fails is reported and the next one runs.
# - After a failed test the connections it opened are closed and the configuration it changed is put back, so that one
#   failure is not reported again under other names.
# - A reply that refuses a command for its data type, or as unknown, is noted beside the test's result.

namespace eval conform {
    variable link {}          ;# the connection to the runner
    variable denied {}        ;# tags of tests that are not run
    variable refused {}       ;# commands this test used that belong to another data type
    variable unknown {}       ;# commands this test used that the server does not know
    variable opened {}        ;# connections made by this test
    variable unset {}         ;# directives this test set that the server does not know
    variable sent {}          ;# commands this test sent
    variable standing_in 0    ;# commands of other data types are replaced: standin.tcl
    variable touched {}       ;# what this test set by CONFIG SET: port, name, value
    variable settings         ;# values of settings by port and name, an array
    array set settings {}
    variable known            ;# the server's commands, an array; empty when it does not list them
    array set known {}
    variable library valkey   ;# the suite's client library: valkey or redis
}

# say sends one line to the runner: a verb and its operands, each in base64.
proc conform::say {verb args} {
    variable link
    set line $verb
    foreach a $args { append line " " [binary encode base64 [encoding convertto utf-8 $a]] "." }
    puts $link $line
    flush $link
}

# ask is say, then the runner's answer, a Tcl list.
proc conform::ask {verb args} {
    variable link
    say $verb {*}$args
    if {[gets $link answer] < 0} { exit 1 }
    return $answer
}

# statements splits a script into its commands, so that one that fails does not hide those after it.
proc conform::statements {script} {
    set all {}
    set one {}
    foreach line [split $script \n] {
        append one $line \n
        if {[info complete $one]} {
            if {[string trim $one] ne {}} { lappend all $one }
            set one {}
        }
    }
    if {[string trim $one] ne {}} { lappend all $one }
    return $all
}

# each runs the commands of script in the caller's caller.
proc conform::each {script} {
    variable refused
    variable unknown
    variable sent
    variable unset
    set told 0
    foreach statement [statements $script] {
        set refused {}
        set unknown {}
        set sent {}
        set unset {}
        set code [catch {uplevel 2 $statement} result options]
        if {$code == 1} {
            # What follows the first one in a block is mostly its consequence.
            set where [lindex [split [string trim $statement] \n] 0]
            if {!$told} { say broken $where [reason $result] $refused $unknown $sent $unset }
            set told 1
            revive
        } elseif {$code != 0} {
            return -code $code $result
        }
    }
}

proc conform::reason {message} {
    regsub {^(assertion|skipped):} $message {} message
    return [string range $message 0 1999]
}

# why is the tag for which a test is not run, or nothing.
proc conform::why {tags} {
    variable denied
    foreach tag $tags {
        if {[lsearch -exact $denied $tag] >= 0} { return $tag }
    }
}

# hidden reports the tests of a block that is not run.
proc conform::hidden {code tag} {
    set any 0
    foreach line [split $code \n] {
        if {[regexp {^\s*test\s+(?:"((?:[^"\\]|\\.)*)"|\{([^\}]*)\})} $line -> quoted braced]} {
            say tagged [expr {$quoted ne {} ? $quoted : $braced}] $tag
            set any 1
        }
    }
    return $any
}

# Connections.

proc conform::dial {host port} {
    variable library
    return [$library $host $port 0 0]
}

# revive gives the block a fresh connection, as the old one may be in the middle of anything.
proc conform::revive {} {
    variable opened
    foreach handle $opened {
        catch {$handle close}
        # The tests that follow may say goodbye to it again, and must not fail for that.
        if {[info commands $handle] eq {}} {
            proc $handle {method args} {
                if {[string tolower $method] ni {quit close}} { error "the connection was closed when a test failed" }
            }
        }
    }
    set opened {}
    for {set i 0} {$i < [llength $::servers]} {incr i} {
        set srv [lindex $::servers $i]
        catch { exec kill -CONT [dict get $srv pid] } ;# the test may have failed while it was paused
        if {![dict exists $srv client]} continue
        if {[catch {set fresh [dial [dict get $srv host] [dict get $srv port]]}]} continue
        # Variables of the block may hold the old one's name.
        set old [dict get $srv client]
        catch { $old close }
        interp alias {} $old {} $fresh
    }
    set opened {}
}

# What the servers' configuration is, as far as this process has set it: by port and name. Asking each time would show in
# the slow log and in the statistics that some tests look at.

proc conform::remember {port client} {
    variable settings
    catch { foreach {name value} [$client config get *] { set settings($port,$name) $value } }
}

# settle takes what was set since the last time as given; restore puts it back.
proc conform::settle {} {
    variable settings
    variable touched
    foreach {port name value} $touched { set settings($port,$name) $value }
    set touched {}
}

proc conform::restore {} {
    variable settings
    variable touched
    foreach {port name value} $touched {
        if {![info exists settings($port,$name)]} continue
        catch {
            set c [dial [srv 0 host] $port]
            catch { $c config set $name $settings($port,$name) }
            $c close
        }
    }
    set touched {}
}

# note looks at a reply for the refusals the runner wants to know.
proc conform::note {id reply} {
    variable library
    variable refused
    variable unknown
    variable unset
    if {[regexp {Unknown option or number of arguments for CONFIG SET - '([^']+)'} $reply -> name]} {
        if {[lsearch -exact $unset $name] < 0} { lappend unset $name }
    } elseif {[regexp {command '([^']*)' is not available: this server holds sorted sets only} $reply -> name]} {
        if {[lsearch -exact $refused $name] < 0} { lappend refused $name }
    } elseif {[regexp -nocase {unknown (?:command|subcommand)[^'`]*['`]([^'`]*)['`](?:\. Try (\w+) HELP)?} $reply -> name container]} {
        set name [string tolower [string trim "$container $name"]]
        if {[lsearch -exact $unknown $name] < 0} { lappend unknown $name }
    }
}

# hook puts note behind every reply that is read, and keeps the connections a test opens.
proc conform::hook {} {
    variable library
    rename ::${library} ::conform::connect
    proc ::${library} {args} {
        set handle [::conform::connect {*}$args]
        lappend ::conform::opened $handle
        return $handle
    }
    set reader ::${library}::${library}_read_reply_logic
    rename $reader ${reader}_of_suite ;# in its namespace: that is where its body looks names up
    variable read_reply ${reader}_of_suite
    proc $reader {id fd} {
        set code [catch {$::conform::read_reply $id $fd} reply options]
        if {$code == 1 || [string index $reply 0] eq "-"} { ::conform::note $id $reply }
        return -options $options $reply
    }
    # The replies of clients that block or defer are not always read; what they sent tells as much.
    set sender ::${library}::__dispatch__raw__
    rename $sender ${sender}_of_suite
    variable send ${sender}_of_suite
    proc $sender {id method argv} {
        if {$::conform::standing_in && [set instead [standin::command $method $argv]] ne {}} {
            lappend ::conform::sent (stand-in) eval
            tailcall $::conform::send $id [lindex $instead 0] [lrange $instead 1 end]
        }
        set name [string tolower $method]
        # read, close and the like are the library's own.
        if {[lsearch -exact $::conform::sent $name] < 0 && [info commands ::${::conform::library}::__method__$name] eq {}} {
            lappend ::conform::sent $name
        }
        if {[string equal -nocase $method config] && [string equal -nocase [lindex $argv 0] set]} {
            foreach {name value} [lrange $argv 1 end] {
                lappend ::conform::touched [lindex [set ::${::conform::library}::addr($id)] 1] [string tolower $name] $value
            }
        }
        tailcall $::conform::send $id $method $argv
    }
}

# hopeless: the test sent a command that the server does not have, so it need not wait long for the effect.
proc conform::hopeless {} {
    variable sent
    variable known
    if {[array size known] == 0} { return 0 }
    foreach command $sent {
        if {![info exists known($command)] && $command ne "(stand-in)"} { return 1 }
    }
    return 0
}

# Servers.

# push puts a server on the suite's stack.
proc conform::push {overrides} {
    # The runner answers: HOST PORT PID DIRECTORY LOG, or nothing when it could start none.
    set answer [ask serve {*}$overrides]
    if {[llength $answer] == 0} { return 0 }
    lassign $answer host port pid directory log
    set config [dict create port $port dir $directory]
    foreach {name value} $overrides { dict set config $name $value }
    set srv [dict create host $host port $port pid $pid stdout $log stderr $log config $config \
        config_file $directory/node.conf executable node unixsocket $directory/none]
    dict set srv client [dial $host $port]
    remember $port [dict get $srv client]
    lappend ::servers $srv
    return 1
}

proc conform::pop {} {
    set srv [lindex $::servers end]
    set ::servers [lrange $::servers 0 end-1]
    catch { [dict get $srv client] close }
    ask stop [dict get $srv pid]
}

# install replaces the suite's orchestration. It runs when all of the suite's procedures are there.
proc conform::install {} {
    hook

    proc ::start_server {options {code undefined}} {
        set overrides {}
        set tags {}
        foreach {option value} $options {
            switch $option {
                config { lappend overrides (base) $value }
                omit { lappend overrides (omit) $value }
                overrides { lappend overrides {*}$value }
                config_lines { lappend overrides {*}$value }
                tags { set tags [string map {\" {}} $value] }
                args { foreach word $value { lappend overrides (args) $word } }
            }
        }
        set before $::tags
        lappend ::tags {*}$tags
        set why [conform::why $::tags]
        if {$why ne {}} {
            conform::hidden $code $why
            set ::tags $before
            return
        }
        if {![conform::push $overrides]} {
            if {![conform::hidden $code no-start]} { conform::say broken "start_server $options" "the node did not start with these directives" {} {} {} {} }
            set ::tags $before
            return
        }
        if {$code eq "undefined"} {
            set srv [lindex $::servers end]
            set ::servers [lrange $::servers 0 end-1]
            set ::tags $before
            return $srv
        }
        conform::each $code
        conform::pop
        set ::tags $before
        return
    }

    proc ::tags {tags code} {
        set tags [string map {\" {}} $tags]
        set before $::tags
        lappend ::tags {*}$tags
        set why [conform::why $::tags]
        if {$why ne {}} { conform::hidden $code $why } else { conform::each $code }
        set ::tags $before
        return
    }

    proc ::start_multiple_servers {num options code} {
        for {set i 0} {$i < $num} {incr i} { set code [list start_server $options $code] }
        uplevel 1 $code
    }

    proc ::start_cluster {masters replicas options code args} { conform::hidden $code cluster-of-servers }
    proc ::cluster_setup {args} { error "a cluster of servers" }

    proc ::kill_server {srv} { conform::ask stop [dict get $srv pid] }

    proc ::restart_server {level wait_ready rotate_logs {reconnect 1} {shutdown sigterm}} {
        set srv [lindex $::servers end+$level]
        catch { [dict get $srv client] close }
        set pid [conform::ask restart [dict get $srv pid] $wait_ready]
        if {$pid eq {}} { error "the node did not start again" }
        dict set srv pid $pid
        lset ::servers end+$level $srv
        if {$reconnect} {
            dict set srv client [conform::dial [dict get $srv host] [dict get $srv port]]
            lset ::servers end+$level $srv
        }
    }

    proc ::send_data_packet {args} {} ;# nobody speaks the suite's own protocol any more
    proc ::run_solo {name code} { uplevel 1 $code }

    rename ::wait_for_condition ::conform::wait_for_condition
    proc ::wait_for_condition {maxtries delay args} {
        if {[conform::hopeless]} { set maxtries [expr {min($maxtries, 3)}] }
        tailcall ::conform::wait_for_condition $maxtries $delay {*}$args
    }

    proc ::test {name code {okpattern undefined} {tags {}}} {
        set why [conform::why [concat $::tags $tags]]
        if {$why ne {}} { conform::say tagged $name $why; return }
        if {[conform::ask test $name] ne "run"} return
        conform::settle
        set conform::refused {}
        set conform::unknown {}
        set conform::sent {}
        set conform::unset {}
        set conform::opened {}
        set previous $::cur_test
        set ::cur_test "$name in $::curfile"
        set began [clock milliseconds]
        set code [catch {uplevel 1 $code} result]
        set took [expr {[clock milliseconds] - $began}]
        set ::cur_test $previous
        set status pass
        set message {}
        if {$code == 1} {
            set status [expr {[string match skipped:* $result] ? "skip" : "fail"}]
            set message [conform::reason $result]
            if {![string match assertion:* $result] && ![string match skipped:* $result]} {
                append message "\n" [string range $::errorInfo 0 3999]
            }
        } elseif {$okpattern ne "undefined" && $okpattern ne $result && ![string match $okpattern $result]} {
            set status fail
            set message "Expected '$okpattern' to equal or match '[string range $result 0 999]'"
        }
        if {$status eq "fail"} {
            conform::revive
            conform::restore
        }
        conform::say result $name $status $message $conform::refused $conform::unknown $conform::sent $took $conform::unset
    }

    proc ::test_block {name code} { uplevel 1 [list test $name $code]; return 1 }
}

# The suite's main program is sourced in the form it has for its workers, which connect to a server on a port and wait
# to be told a file. Before it reads that file, everything it defines is there: the moment to install.

rename source conform::source_file
proc source {args} {
    set path [lindex $args end]
    if {$conform::link eq {} && [info exists ::test_server_fd]} {
        set conform::link $::test_server_fd
        fconfigure $conform::link -translation lf -encoding utf-8
        if {[info procs ::valkey] eq {}} { set conform::library redis }
        lassign [conform::ask hello] conform::denied ::ignoredigest names conform::standing_in
        foreach name $names { set conform::known($name) 1 }
        set ::singledb 1
        set ::no_latency 1
        set ::servers {}
        set ::denytags $conform::denied
        conform::install
        # The rest of the run is here: the file, statement by statement.
        set channel [open $path]
        fconfigure $channel -encoding utf-8
        set script [read $channel]
        close $channel
        conform::file $script
        conform::say done
        exit 0
    }
    uplevel 1 [list conform::source_file {*}$args]
}

proc conform::file {script} { uplevel #0 [list conform::top $script] }
proc conform::top {script} { each $script }

conform::source_file [file join [file dirname [file normalize [info script]]] standin.tcl]
set conform::port [lindex $argv 0]
set argv [list --client $conform::port]
set argv0 tests/test_helper.tcl
conform::source_file tests/test_helper.tcl
