/** Second barrier between users: without a grant the role sees no new table. */
export const MEMBER_ROLE_SQL: string[] = [
  // Another database of the server may create the role at the same time.
  `do $$ begin
    if not exists (select from pg_roles where rolname = 'durable_trader_member') then
      create role durable_trader_member nologin;
    end if;
  exception when duplicate_object or unique_violation then null; end $$`,
  `do $$ begin
    if not pg_has_role(current_user, 'durable_trader_member', 'member') then
      execute format('grant durable_trader_member to %I', current_user);
    end if;
  end $$`,
  `grant usage on schema public to durable_trader_member`,
  // Outside a user's transaction the setting is missing or empty.
  `create function acting_user() returns uuid language sql stable
  return nullif(current_setting('app.user_id', true), '')::uuid`,
]
