#!/bin/sh
# The PostgreSQL image runs this once as superuser, on an empty volume. It creates a user for the service and one for
# Temporal: neither is a superuser, creates users, bypasses row-level security, or reaches the databases of the other. A
# third user may put the server into backup mode and read.
set -eu

psql --username "${POSTGRES_USER:-postgres}" --dbname postgres --set ON_ERROR_STOP=1 --quiet <<'SQL'
\getenv service_password DATABASE_PASSWORD
\getenv temporal_password TEMPORAL_DATABASE_PASSWORD
\getenv backup_password BACKUP_DATABASE_PASSWORD
-- A failing statement would leave its password in the log.
set log_min_error_statement = 'panic';
create role durable_trader login nosuperuser nocreatedb nocreaterole nobypassrls password :'service_password';
create role temporal login nosuperuser nocreatedb nocreaterole nobypassrls password :'temporal_password';
create role durable_trader_member nologin;
grant durable_trader_member to durable_trader with inherit false, set true;
create database durable_trader owner durable_trader;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke connect on database durable_trader, temporal, temporal_visibility from public;
-- Whoever makes back-ups reads every file of the server; by SQL it needs the names of the migrations only.
create role backup login nosuperuser nocreatedb nocreaterole replication password :'backup_password';
grant pg_read_all_data to backup;
grant connect on database durable_trader to backup;
\connect durable_trader
grant execute on function pg_backup_start(text, boolean), pg_backup_stop(boolean) to backup;
SQL
