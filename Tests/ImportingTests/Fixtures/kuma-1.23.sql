-- The columns of Uptime Kuma 1.23 in the tables that are imported, and one that is not.
CREATE TABLE "monitor" (
    "id" INTEGER PRIMARY KEY, "name" VARCHAR(150), "active" BOOLEAN NOT NULL DEFAULT 1, "user_id" INTEGER,
    "interval" INTEGER NOT NULL DEFAULT 20, "url" TEXT, "type" VARCHAR(20), "weight" INTEGER DEFAULT 2000,
    "hostname" VARCHAR(255), "port" INTEGER, "created_date" DATETIME NOT NULL DEFAULT (DATETIME('now')),
    "keyword" VARCHAR(255), "maxretries" INTEGER NOT NULL DEFAULT 0, "ignore_tls" BOOLEAN NOT NULL DEFAULT 0,
    "upside_down" BOOLEAN NOT NULL DEFAULT 0, "maxredirects" INTEGER NOT NULL DEFAULT 10,
    "accepted_statuscodes_json" TEXT NOT NULL DEFAULT '["200-299"]', "dns_resolve_type" VARCHAR(5),
    "dns_resolve_server" VARCHAR(255), "dns_last_result" VARCHAR(255), "retry_interval" INTEGER NOT NULL DEFAULT 0,
    "push_token" VARCHAR(20), "method" TEXT NOT NULL DEFAULT 'GET', "body" TEXT, "headers" TEXT, "basic_auth_user" TEXT,
    "basic_auth_pass" TEXT, "docker_host" INTEGER, "docker_container" VARCHAR(255), "proxy_id" INTEGER,
    "expiry_notification" BOOLEAN DEFAULT 1, "mqtt_topic" TEXT, "mqtt_success_message" VARCHAR(255),
    "mqtt_username" VARCHAR(255), "mqtt_password" VARCHAR(255), "database_connection_string" VARCHAR(2000),
    "database_query" TEXT, "auth_method" VARCHAR(250), "auth_domain" TEXT, "auth_workstation" TEXT, "grpc_url" VARCHAR(255),
    "grpc_protobuf" TEXT, "grpc_body" TEXT, "grpc_metadata" TEXT, "grpc_method" VARCHAR(255),
    "grpc_service_name" VARCHAR(255), "grpc_enable_tls" BOOLEAN NOT NULL DEFAULT 0, "radius_username" VARCHAR(255),
    "radius_password" VARCHAR(255), "radius_calling_station_id" VARCHAR(50), "radius_called_station_id" VARCHAR(50),
    "radius_secret" VARCHAR(255), "resend_interval" INTEGER NOT NULL DEFAULT 0, "packet_size" INTEGER NOT NULL DEFAULT 56,
    "game" VARCHAR(255), "http_body_encoding" VARCHAR(25), "description" TEXT, "tls_ca" TEXT, "tls_cert" TEXT, "tls_key" TEXT,
    "parent" INTEGER, "invert_keyword" BOOLEAN NOT NULL DEFAULT 0, "json_path" TEXT, "expected_value" VARCHAR(255),
    "kafka_producer_topic" VARCHAR(255), "kafka_producer_brokers" TEXT, "kafka_producer_sasl_options" TEXT,
    "kafka_producer_message" TEXT, "oauth_client_id" TEXT, "oauth_client_secret" TEXT, "oauth_token_url" TEXT,
    "oauth_scopes" TEXT, "oauth_auth_method" TEXT, "timeout" DOUBLE NOT NULL DEFAULT 0,
    "gamedig_given_port_only" BOOLEAN NOT NULL DEFAULT 1, "kafka_producer_ssl" BOOLEAN NOT NULL DEFAULT 0,
    "kafka_producer_allow_auto_topic_creation" BOOLEAN NOT NULL DEFAULT 0
);
CREATE TABLE "tag" (
    "id" INTEGER PRIMARY KEY, "name" VARCHAR(255) NOT NULL, "color" VARCHAR(255) NOT NULL,
    "created_date" DATETIME NOT NULL DEFAULT (DATETIME('now'))
);
CREATE TABLE "monitor_tag" (
    "id" INTEGER PRIMARY KEY, "monitor_id" INTEGER NOT NULL, "tag_id" INTEGER NOT NULL, "value" TEXT
);
CREATE TABLE "notification" (
    "id" INTEGER PRIMARY KEY, "name" VARCHAR(255), "active" BOOLEAN NOT NULL DEFAULT 1, "user_id" INTEGER NOT NULL,
    "is_default" BOOLEAN NOT NULL DEFAULT 0, "config" TEXT
);
CREATE TABLE "monitor_notification" (
    "id" INTEGER PRIMARY KEY, "monitor_id" INTEGER NOT NULL, "notification_id" INTEGER NOT NULL
);
CREATE TABLE "proxy" (
    "id" INTEGER PRIMARY KEY, "user_id" INT NOT NULL, "protocol" VARCHAR(10) NOT NULL, "host" VARCHAR(255) NOT NULL,
    "port" SMALLINT NOT NULL, "auth" BOOLEAN NOT NULL, "username" VARCHAR(255), "password" VARCHAR(255),
    "active" BOOLEAN NOT NULL DEFAULT 1, "default" BOOLEAN NOT NULL DEFAULT 0,
    "created_date" DATETIME NOT NULL DEFAULT (DATETIME('now'))
);
CREATE TABLE "maintenance" (
    "id" INTEGER PRIMARY KEY, "title" VARCHAR(150) NOT NULL, "description" TEXT NOT NULL, "user_id" INTEGER,
    "active" BOOLEAN NOT NULL DEFAULT 1, "strategy" VARCHAR(50) NOT NULL DEFAULT 'single', "start_date" DATETIME,
    "end_date" DATETIME, "start_time" TIME, "end_time" TIME, "weekdays" VARCHAR2(250) DEFAULT '[]',
    "days_of_month" TEXT DEFAULT '[]', "interval_day" INTEGER, "cron" TEXT, "timezone" VARCHAR(255), "duration" INTEGER
);
CREATE TABLE "monitor_maintenance" (
    "id" INTEGER PRIMARY KEY, "monitor_id" INTEGER NOT NULL, "maintenance_id" INTEGER NOT NULL
);
CREATE TABLE "status_page" (
    "id" INTEGER PRIMARY KEY, "slug" VARCHAR(255) NOT NULL, "title" VARCHAR(255) NOT NULL, "description" TEXT,
    "icon" VARCHAR(255) NOT NULL, "theme" VARCHAR(30) NOT NULL, "published" BOOLEAN NOT NULL DEFAULT 1,
    "search_engine_index" BOOLEAN NOT NULL DEFAULT 1, "show_tags" BOOLEAN NOT NULL DEFAULT 0, "password" VARCHAR,
    "created_date" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, "modified_date" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "footer_text" TEXT, "custom_css" TEXT, "show_powered_by" BOOLEAN NOT NULL DEFAULT 1, "google_analytics_tag_id" VARCHAR,
    "show_certificate_expiry" BOOLEAN NOT NULL DEFAULT 0
);
CREATE TABLE "group" (
    "id" INTEGER PRIMARY KEY, "name" VARCHAR(255) NOT NULL, "created_date" DATETIME NOT NULL DEFAULT (DATETIME('now')),
    "public" BOOLEAN NOT NULL DEFAULT 0, "active" BOOLEAN NOT NULL DEFAULT 1, "weight" BOOLEAN NOT NULL DEFAULT 1000,
    "status_page_id" INTEGER
);
CREATE TABLE "monitor_group" (
    "id" INTEGER PRIMARY KEY, "monitor_id" INTEGER NOT NULL, "group_id" INTEGER NOT NULL,
    "weight" BOOLEAN NOT NULL DEFAULT 1000, "send_url" BOOLEAN NOT NULL DEFAULT 0
);
CREATE TABLE "setting" (
    "id" INTEGER PRIMARY KEY, "key" VARCHAR(200) NOT NULL, "value" TEXT, "type" VARCHAR(20)
);
CREATE TABLE "heartbeat" ("id" INTEGER PRIMARY KEY, "monitor_id" INTEGER, "status" SMALLINT, "msg" TEXT);
