#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
# Prints the events of reachd, one a line: ID TYPE DATA. Goes on where it was after every break. Nothing but Perl itself is
# needed; HTTP::Tiny, which comes with it, would hold events back until it has 32 KiB of them.
#
#     events.pl [URL [LAST-EVENT-ID]]
use strict;
use warnings;
use IO::Socket::INET;
use Socket qw(SOL_SOCKET SO_RCVTIMEO);
use Time::HiRes qw(sleep);

my ($url, $last) = @ARGV;
$url  //= 'http://127.0.0.1:7532/events';
$last //= '';
my ($host, $port, $path) = $url =~ m{^http://([^/:]+)(?::(\d+))?(/.*)?$} or die "$url: not a URL that this reads\n";
my $pause = 3;
$| = 1;

sub read_events {
    my $socket = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port // 80, Timeout => 10) or return $@;
    # A stream that says nothing sends a comment every 15 seconds: 45 without one, and it is broken.
    setsockopt $socket, SOL_SOCKET, SO_RCVTIMEO, pack('l!l!', 45, 0);
    # HTTP/1.0 spares the chunks.
    print $socket "GET $path HTTP/1.0\r\nHost: $host\r\nAccept: text/event-stream\r\n",
        (length $last ? "Last-Event-ID: $last\r\n" : ''), "\r\n";
    my $status = <$socket> // '';
    return $status if $status !~ m{^HTTP/1\.\d 200 };
    while (<$socket>) { last if /^\r?$/ }
    my ($id, $type, @data) = ($last, 'message');
    while (my $line = <$socket>) {
        $line =~ s/\r?\n$//;
        my ($name, $value) = $line =~ /^([^:]*):? ?(.*)$/;
        if ($line eq '') {
            $last = $id;
            print "$id $type ", join("\n", @data), "\n" if @data;
            ($type, @data) = ('message');
        }
        elsif ($name eq 'id')    { $id   = $value }
        elsif ($name eq 'event') { $type = $value }
        elsif ($name eq 'data')  { push @data, $value }
        elsif ($name eq 'retry' && $value =~ /^\d+$/) { $pause = $value / 1000 }
    }
    return 'the stream ended';
}

while (1) {
    my $reason = read_events();
    $reason =~ s/\s+$//;
    warn "$url: $reason\n";
    sleep $pause;
}
