/**
 * Statements by which every change of a table's rows is written to `live_events`, in the transaction that makes it:
 * neither can be there without the other.
 *
 * @param columns `account`: the column of the account's id; null for what belongs to none. `unseen`: columns that no answer shows, so that a change of
 *   nothing else is no news; a column that is added later counts as seen
 */
export const tellsLive = (table: string, topic: string, columns: ToldColumns): string[] => [
  tellLiveFunction(table, topic, columns),
  `create trigger ${table}_live after insert or update or delete on ${table}
   for each row execute function ${table}_tell_live()`,
]

interface ToldColumns {
  account?: string | null
  unseen: readonly string[]
}

/** The function that the trigger of {@link tellsLive} runs, in the place of an earlier one. */
const tellLiveFunction = (
  table: string,
  topic: string,
  { account = 'account_id', unseen }: ToldColumns,
): string =>
  // In its owner's name, because users may read the events and not write them.
  `create or replace function ${table}_tell_live() returns trigger
   language plpgsql security definer set search_path = public, pg_temp as $$
   declare
     seen ${table}%rowtype;
   begin
     if tg_op = 'DELETE' then
       perform tell_live(old.user_id, ${account === null ? 'null' : `old.${account}`}, '${topic}', old.id);
       return null;
     end if;
     if tg_op = 'UPDATE' then
       seen := new;
       ${unseen.map((column) => `seen.${column} := old.${column};`).join(' ')}
       if seen is not distinct from old then return null; end if;
     end if;
     perform tell_live(new.user_id, ${account === null ? 'null' : `new.${account}`}, '${topic}', new.id);
     return null;
   end $$`
