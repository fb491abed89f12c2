#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
# Creates the role that the nodes connect as. The image of PostgreSQL runs this once, when its volume is empty.
set -eu
psql --username=postgres --dbname=reachd --set=ON_ERROR_STOP=1 --set=password="$(cat /run/secrets/reachd.password)" <<'SQL'
CREATE ROLE reachd LOGIN PASSWORD :'password';
SQL
