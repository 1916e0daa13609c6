import { runStatement } from '#local/servers/postgres.ts'
import type { EntityManager } from '#db/engine/database.ts'

/**
 * Copies of the whole ledger beside it, in the same database: taken and put back in some milliseconds, which is what makes
 * thousands of lives with restored ledgers possible.
 */
export class LedgerCopies {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async take(): Promise<void> {
    await this.#em.execute('select copies.take()', [], 'run')
  }

  /** Puts the last copy in the place of the ledger. */
  async restore(): Promise<void> {
    await this.#em.execute('select copies.restore()', [], 'run')
  }

  /** Empties the ledger and the copy. */
  async clear(): Promise<void> {
    await this.#em.execute('select copies.clear()', [], 'run')
  }
}

/** No triggers run while rows are put back: they would tell of what is not news. */
export async function installCopies(url: string): Promise<void> {
  await runStatement(
    url,
    `create schema copies;
     create table copies.tables as
       select c.relname as name,
         (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
         exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as has_triggers
       from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not in ('schema_migrations', 'audit_events');
     do $$
     declare it record;
     begin
       for it in select * from copies.tables loop
         execute format('create table copies.%I as select %s from public.%I limit 0', 'c_' || it.name, it.columns, it.name);
       end loop;
     end $$;
     create function copies.each(sql text) returns void language plpgsql as $$
     declare it record;
     begin
       for it in select * from copies.tables loop
         execute replace(replace(replace(sql, '$copy', 'copies.' || quote_ident('c_' || it.name)),
           '$table', 'public.' || quote_ident(it.name)), '$columns', it.columns);
       end loop;
     end $$;
     create function copies.take() returns void language sql as $$
       select copies.each('delete from $copy');
       select copies.each('insert into $copy select $columns from $table');
     $$;
     create function copies.triggers(what text) returns void language plpgsql as $$
     declare it record;
     begin
       for it in select * from copies.tables where has_triggers loop
         execute format('alter table public.%I %s trigger user', it.name, what);
       end loop;
     end $$;
     -- All rows go and come in one statement each, at whose end foreign keys are checked.
     create function copies.restore() returns void language plpgsql as $$
     begin
       perform copies.triggers('disable');
       execute (select 'with ' || string_agg(format('d%s as (delete from public.%I)', n, name), ', ') || ' select'
         from (select name, row_number() over () as n from copies.tables) t);
       execute (select 'with ' || string_agg(format(
           'i%s as (insert into public.%I (%s) overriding system value select %s from copies.%I)', n, name, columns, columns, 'c_' || name), ', ')
         || ' select' from (select *, row_number() over () as n from copies.tables) t);
       perform copies.triggers('enable');
     end $$;
     create function copies.clear() returns void language sql as $$
       select copies.each('delete from $copy');
       select copies.restore();
     $$`,
  )
}
