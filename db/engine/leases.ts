import type { EntityManager } from './database.ts'

/** True for the only holder; `seconds` by the database's clock. */
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

export async function giveUpLease(em: EntityManager, name: string, holder: string): Promise<void> {
  await em.execute('delete from leases where name = ? and holder = ?', [name, holder])
}
