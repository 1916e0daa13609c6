import type { EntityManager } from '../engine/database.ts'

/** rejected: the broker refuses the keys. silent: no usable answer. */
export type ConnectionHealth = { found: 'answering' } | { found: 'rejected' | 'silent'; detail: string }

/** The owner learns of a broker silent this long. */
const SILENT_FOR = `interval '1 minute'`
const NOTED_EVERY = `interval '5 seconds'`

export async function recordConnectionHealth(
  em: EntityManager,
  brokerId: string,
  health: ConnectionHealth,
): Promise<void> {
  const detail = health.found === 'answering' ? null : health.detail
  const isSilent = health.found === 'silent'
  const isLongSilent = `not exists (
    select from accounts a where a.broker_id = b.id and a.last_synced_at > now() - ${SILENT_FOR})`
  const tells = health.found === 'silent' ? isLongSilent : 'true'
  await em.execute(
    `update broker_connections b set
       status = case when ${tells} then ? else status end,
       status_detail = case when ${tells} then ? else status_detail end,
       failing_since = case when not (${tells}) then failing_since when ? then coalesce(failing_since, now()) end,
       last_checked_at = case when ? then last_checked_at else now() end,
       unanswered_since = case when ? then coalesce(unanswered_since, now()) end
     where id = ? and deleted_at is null
       and ((${tells} and (status <> ? or status_detail is distinct from ?))
         or (unanswered_since is not null) <> ?
         or not ? and (last_checked_at is null or last_checked_at < now() - ${NOTED_EVERY}))`,
    [
      ...statusOf(health, detail),
      health.found !== 'answering',
      isSilent,
      isSilent,
      brokerId,
      ...statusOf(health, detail),
      isSilent,
      isSilent,
    ],
  )
}

/** `silentFor`: milliseconds since the broker's last answer; null once it answers. */
export async function recordSilence(
  em: EntityManager,
  brokerId: string,
  silentFor: number | null,
): Promise<void> {
  await em.execute(
    `update broker_connections set unanswered_since = now() - ?::float8 * interval '1 millisecond'
     where id = ? and deleted_at is null and (unanswered_since is null) = ?`,
    [silentFor, brokerId, silentFor !== null],
  )
}

const statusOf = ({ found }: ConnectionHealth, detail: string | null) => [
  found === 'answering' ? 'connected' : 'error',
  detail,
]
