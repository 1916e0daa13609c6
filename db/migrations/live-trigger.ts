/**
 * Writes changed rows to `live_events` in their transaction. `unseen`: columns not announced alone. `without`: column
 * set in rows never announced.
 */
export const notifiesLive = (
  table: string,
  topic: string,
  {
    account = 'account_id',
    unseen,
    without,
  }: { account?: string | null; unseen: readonly string[]; without?: string },
): string[] => [
  // As owner, because users may only read events.
  `create or replace function ${table}_notify_live() returns trigger
   language plpgsql security definer set search_path = public, pg_temp as $$
   declare
     seen ${table}%rowtype;
   begin
     ${without === undefined ? '' : `if coalesce(new.${without}, old.${without}) is not null then return null; end if;`}
     if tg_op = 'DELETE' then
       perform notify_live(old.user_id, ${account === null ? 'null' : `old.${account}`}, '${topic}', old.id);
       return null;
     end if;
     if tg_op = 'UPDATE' then
       seen := new;
       ${unseen.map((column) => `seen.${column} := old.${column};`).join(' ')}
       if seen is not distinct from old then return null; end if;
     end if;
     perform notify_live(new.user_id, ${account === null ? 'null' : `new.${account}`}, '${topic}', new.id);
     return null;
   end $$`,
  `create trigger ${table}_live after insert or update or delete on ${table}
   for each row execute function ${table}_notify_live()`,
]
