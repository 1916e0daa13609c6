import type { EntityManager } from '../engine/database.ts'
import type { EncryptionKeys } from './secret-box.ts'

/** Keys of process and data differ. Messages name only key ids. */
export class WrongKeys extends Error {
  override readonly name = 'WrongKeys'
}

/** Throws {@link WrongKeys} when an earlier key is missing. `checks`: derived keys. */
export async function requireKnownKeys(em: EntityManager, checks: EncryptionKeys): Promise<void> {
  await em.fork().transactional(async (inner) => {
    // The second of two first processes sees the other's key.
    await inner.execute('lock table encryption_key_checks in share row exclusive mode')
    const known = await inner.execute<{ key_id: string; check_value: string }[]>(
      'select key_id, check_value from encryption_key_checks order by registered_at',
    )
    for (const { key_id: id, check_value: value } of known) {
      const key = checks.keys.get(id)
      if (key === undefined)
        throw new WrongKeys(`KEY_FILE lacks key ${id}, and data of this database is encrypted with it`)
      if (key.toString('hex') !== value)
        throw new WrongKeys(
          `KEY_FILE holds another key under ${id} than the data of this database is encrypted by`,
        )
    }
    await inner.execute(
      'insert into encryption_key_checks (key_id, check_value) values (?, ?) on conflict do nothing',
      [checks.current, checks.keys.get(checks.current)!.toString('hex')],
    )
  })
}
