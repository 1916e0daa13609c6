import { mock } from 'node:test'
import { runStatement } from '#local/servers/postgres.ts'
import type { EntityManager } from '#db/engine/database.ts'

/** One clock for this process and its PostgreSQL: it stands still until it is told to go on. */
export class LivesClock {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return Date.now()
  }

  async set(at: number): Promise<void> {
    mock.timers.setTime(at)
    await this.#em.execute('update lives.clock set at = ?', [new Date(at)], 'run')
  }

  async pass(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await this.set(Date.now() + milliseconds)
  }
}

/**
 * Makes PostgreSQL's `now()` and `clock_timestamp()` those of the clock, for every connection that is opened from now on:
 * a schema that is searched first holds functions of their names.
 */
export async function installClock(url: string): Promise<void> {
  await runStatement(
    url,
    `create schema lives;
     create table lives.clock (at timestamptz not null);
     insert into lives.clock values (now());
     create function lives.now() returns timestamptz language sql stable as 'select at from lives.clock';
     create function lives.clock_timestamp() returns timestamptz language sql stable as 'select at from lives.clock';
     do $$
     declare it record;
     begin
       execute format('alter database %I set search_path = lives, pg_catalog, public', current_database());
       for it in
         select c.oid::regclass as relation, a.attname
         from pg_attrdef d join pg_class c on c.oid = d.adrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum
         where c.relnamespace = 'public'::regnamespace and pg_get_expr(d.adbin, d.adrelid) in ('now()', 'clock_timestamp()')
       loop
         execute format('alter table %s alter column %I set default lives.now()', it.relation, it.attname);
       end loop;
     end $$`,
  )
}
