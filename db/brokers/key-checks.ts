import type { EntityManager } from '../engine/database.ts'
import type { EncryptionKeys } from './secret-box.ts'

/** A process was given other keys than those by which the data was encrypted. Its message names keys by their ids only. */
export class WrongKeys extends Error {
  override readonly name = 'WrongKeys'
}

/**
 * Throws {@link WrongKeys} unless the process knows every key that any process has used on this database before; then
 * registers the current one. The check values are derived from the keys and tell nothing about them.
 *
 * @param checks keys derived for this purpose only
 */
export async function requireKnownKeys(em: EntityManager, checks: EncryptionKeys): Promise<void> {
  await em.fork().transactional(async (inner) => {
    // Of two processes that are the first at once, one finds the key of the other.
    await inner.execute('lock table encryption_key_checks in share row exclusive mode')
    const known = await inner.execute<{ key_id: string; check_value: string }[]>(
      'select key_id, check_value from encryption_key_checks order by registered_at',
    )
    for (const { key_id: id, check_value: value } of known) {
      const key = checks.keys.get(id)
      if (key === undefined)
        throw new WrongKeys(`KEY_FILE lacks key ${id}, by which data of this database is encrypted`)
      if (key.toString('hex') !== value)
        throw new WrongKeys(
          `KEY_FILE holds another key under ${id} than the data of this database is encrypted by`,
        )
    }
    await inner.execute(
      'insert into encryption_key_checks (key_id, check_value) values (?, ?) on conflict do nothing',
      [checks.current, checks.keys.get(checks.current)!.toString('hex')],
      'run',
    )
  })
}
