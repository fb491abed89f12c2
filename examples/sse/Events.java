// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * Prints the events of reachd, one a line: ID TYPE DATA. Goes on where it was after every break.
 *
 * <pre>java Events.java [URL [LAST-EVENT-ID]]</pre>
 */
public class Events {
    private static String last = "";
    private static long pause = 3000;

    public static void main(String[] arguments) throws InterruptedException {
        String url = arguments.length > 0 ? arguments[0] : "http://127.0.0.1:7532/events";
        if (arguments.length > 1) last = arguments[1];
        while (true) {
            try {
                read(url);
            } catch (IOException error) {
                System.err.println(url + ": " + error.getMessage());
            }
            Thread.sleep(pause);
        }
    }

    private static void read(String url) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
        connection.setRequestProperty("Accept", "text/event-stream");
        if (!last.isEmpty()) connection.setRequestProperty("Last-Event-ID", last);
        connection.setConnectTimeout(10_000);
        // A stream that says nothing sends a comment every 15 seconds: 45 without one, and it is broken.
        connection.setReadTimeout(45_000);
        String id = last, type = "message";
        StringBuilder data = new StringBuilder();
        try (var reader = new BufferedReader(
                new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line; (line = reader.readLine()) != null;) {
                int colon = line.indexOf(':');
                String name = colon < 0 ? line : line.substring(0, colon);
                String value = colon < 0 ? "" : line.substring(colon + 1).replaceFirst("^ ", "");
                if (line.isEmpty()) {
                    last = id;
                    if (data.length() > 0) System.out.println(id + " " + type + " " + data);
                    type = "message";
                    data.setLength(0);
                } else if (name.equals("id")) {
                    id = value;
                } else if (name.equals("event")) {
                    type = value;
                } else if (name.equals("data")) {
                    data.append(data.length() > 0 ? "\n" : "").append(value);
                } else if (name.equals("retry") && value.matches("\\d+")) {
                    pause = Long.parseLong(value);
                }
            }
        }
    }
}
