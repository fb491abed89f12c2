-- What an instance of Uptime Kuma may have configured, in the tables of all versions.
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type) VALUES (60, 1, 30, 1, 'Sites', 'group');
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, parent) VALUES (
    60, 1, 30, 2, 'Inner', 'group', 1
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, url, keyword, parent, timeout, accepted_statuscodes_json, expiry_notification, ignore_tls, headers, body, method, http_body_encoding, auth_method, basic_auth_user, basic_auth_pass, description, resend_interval) VALUES (
    60, 1, 30, 3, 'Front page', 'keyword', 'https://example.org/', '"ok":true', 2, 48, '["200-299","304"]', 1, 1, '{"X-Token":"S3CRET","Accept":"text/html"}', '{"a":1}', 'POST', 'json', 'basic', 'u', 'S3CRET', 'd', 10
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, url, json_path, expected_value, proxy_id, resend_interval) VALUES (
    60, 1, 30, 4, 'Q', 'json-query', 'http://192.0.2.1/s', '$.data[0].state', 'UP', 1, 10
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, hostname, port, upside_down) VALUES (
    60, 1, 30, 5, 'Port', 'port', '192.0.2.2', 22, 1
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, hostname, packet_size, active) VALUES (
    60, 1, 30, 6, 'Ping', 'ping', '192.0.2.3', 100, 0
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, hostname, dns_resolve_server, dns_resolve_type, port) VALUES (
    60, 1, 30, 7, 'DNS', 'dns', 'example.org', '1.1.1.1, 8.8.8.8', 'MX', 53
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, push_token) VALUES (
    86400, 2, 3600, 8, 'Backup', 'push', 'S3CRET'
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, docker_container, docker_host) VALUES (
    60, 1, 30, 9, 'Docker', 'docker', 'web', 1
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, url, auth_method) VALUES (
    60, 1, 30, 10, 'OAuth', 'http', 'https://example.org/o', 'oauth2-cc'
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, url) VALUES (
    60, 1, 30, 11, 'мой сервер', 'http', 'https://example.com'
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, url, auth_method, tls_cert, tls_key) VALUES (
    60, 1, 30, 12, 'mtls', 'http', 'https://example.net', 'mtls', 'S3CRETc', 'S3CRETk'
);
INSERT INTO "monitor" (interval, maxretries, retry_interval, id, name, type, hostname, dns_resolve_server, dns_resolve_type, port) VALUES (
    60, 1, 30, 13, 'ptr', 'dns', '192.0.2.77', '192.0.2.53', 'PTR', 5353
);
INSERT INTO "tag" (id, name, color) VALUES (1, 'team', '#fff');
INSERT INTO "tag" (id, name, color) VALUES (2, 'x', '#000');
INSERT INTO "monitor_tag" (monitor_id, tag_id, value) VALUES (3, 1, 'web');
INSERT INTO "monitor_tag" (monitor_id, tag_id, value) VALUES (3, 2, '');
INSERT INTO "proxy" (id, user_id, protocol, host, port, auth, username, password, active, created_date) VALUES (
    1, 1, 'http', 'proxy.example', 3128, 1, 'pu', 'S3CRET', 1, ''
);
INSERT INTO "notification" (id, name, active, user_id, is_default, config) VALUES (
    1, 'Discord', 1, 1, 0, '{"name": "Discord", "type": "discord", "discordWebhookUrl": "https://S3CRET"}'
);
INSERT INTO "notification" (id, name, active, user_id, is_default, config) VALUES (
    2, 'Mail me', 1, 1, 0, '{"name": "Mail me", "type": "smtp", "smtpHost": "mail.example.org", "smtpPort": 587, "smtpSecure": false, "smtpFrom": "\"Kuma\" <k@example.org>", "smtpTo": "a@example.org, b@example.org", "smtpUsername": "k", "smtpPassword": "S3CRET"}'
);
INSERT INTO "notification" (id, name, active, user_id, is_default, config) VALUES (
    3, 'Apprise', 1, 1, 0, '{"name": "Apprise", "type": "apprise", "appriseURL": "S3CRET"}'
);
INSERT INTO "notification" (id, name, active, user_id, is_default, config) VALUES (
    4, 'TG', 1, 1, 0, '{"name": "TG", "type": "telegram", "telegramBotToken": "S3CRET", "telegramChatID": "-100"}'
);
INSERT INTO "monitor_notification" (monitor_id, notification_id) VALUES (3, 1);
INSERT INTO "monitor_notification" (monitor_id, notification_id) VALUES (4, 1);
INSERT INTO "monitor_notification" (monitor_id, notification_id) VALUES (3, 2);
INSERT INTO "monitor_notification" (monitor_id, notification_id) VALUES (8, 2);
INSERT INTO "monitor_notification" (monitor_id, notification_id) VALUES (3, 3);
INSERT INTO "maintenance" (id, title, description, active, strategy, start_time, end_time, weekdays, days_of_month, timezone, cron, duration) VALUES (
    1, 'night', '', 1, 'recurring-weekday', '02:00', '03:30', '[1,0]', '[]', 'Europe/Berlin', '0 2 * * 0,1', 5400
);
INSERT INTO "maintenance" (id, title, description, active, strategy, start_date, end_date, timezone) VALUES (
    2, 'once', '', 1, 'single', '2027-06-01 02:00:00', '2027-06-01 04:00:00', 'Europe/Berlin'
);
INSERT INTO "maintenance" (id, title, description, active, strategy, cron, duration, timezone) VALUES (
    3, 'c', '', 1, 'cron', '30 3 * * 6', 3600, 'UTC'
);
INSERT INTO "maintenance" (id, title, description, active, strategy, start_time, end_time, days_of_month, timezone) VALUES (
    4, 'monthly', '', 1, 'recurring-day-of-month', '02:00', '03:30', '[1]', 'UTC'
);
INSERT INTO "monitor_maintenance" (monitor_id, maintenance_id) VALUES (3, 1);
INSERT INTO "monitor_maintenance" (monitor_id, maintenance_id) VALUES (4, 2);
INSERT INTO "monitor_maintenance" (monitor_id, maintenance_id) VALUES (4, 3);
INSERT INTO "monitor_maintenance" (monitor_id, maintenance_id) VALUES (4, 4);
INSERT INTO "status_page" (id, slug, title, icon, theme, published, footer_text) VALUES (
    1, 's', 'Our status', '', 'auto', 1, 'hello'
);
INSERT INTO "group" (id, name, created_date, public, active, weight, status_page_id) VALUES (1, 'Web', '', 1, 1, 1, 1);
INSERT INTO "group" (id, name, created_date, public, active, weight, status_page_id) VALUES (2, 'Infra', '', 1, 1, 2, 1);
INSERT INTO "monitor_group" (monitor_id, group_id) VALUES (3, 1);
INSERT INTO "monitor_group" (monitor_id, group_id) VALUES (4, 1);
INSERT INTO "monitor_group" (monitor_id, group_id) VALUES (7, 2);
