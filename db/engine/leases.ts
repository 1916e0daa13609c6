import type { EntityManager } from './database.ts'

/**
 * Takes or keeps a lease, by the database's clock: of any number of processes that ask, one holds it until it is given
 * up or runs out. Tells whether the asking one does.
 *
 * @param seconds for which it is held, unless it is asked for again
 */
export async function holdLease(
  em: EntityManager,
  { name, holder, seconds }: { name: string; holder: string; seconds: number },
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `insert into leases (name, holder, held_until) values (?, ?, now() + make_interval(secs => ?))
     on conflict (name) do update set holder = excluded.holder, held_until = excluded.held_until
     where leases.holder = excluded.holder or leases.held_until < now() returning name`,
    [name, holder, seconds],
  )
  return rows.length === 1
}

/** Gives a lease up, so that the next process need not wait for its end. */
export async function giveUpLease(em: EntityManager, name: string, holder: string): Promise<void> {
  await em.execute('delete from leases where name = ? and holder = ?', [name, holder], 'run')
}
