import type { EntityManager } from '../engine/database.ts'

export interface DeviceGrant {
  userCode: string
  deviceName: string
  ip: string
  createdAt: Date
}

/** False when the user code is taken. */
export async function insertDeviceGrant(
  em: EntityManager,
  grant: { deviceHash: string; userCode: string; deviceName: string; ip: string; seconds: number },
): Promise<boolean> {
  const added = await em.execute<unknown[]>(
    `insert into device_grants (device_hash, user_code, device_name, ip, expires_at)
     values (?, ?, ?, ?, now() + make_interval(secs => ?)) on conflict do nothing returning user_code`,
    [grant.deviceHash, grant.userCode, grant.deviceName, grant.ip, grant.seconds],
  )
  return added.length === 1
}

export async function findPendingDeviceGrant(
  em: EntityManager,
  userCode: string,
): Promise<DeviceGrant | null> {
  const [row] = await em.execute<(Omit<DeviceGrant, 'createdAt'> & { createdAt: string })[]>(
    `select user_code as "userCode", device_name as "deviceName", ip, created_at as "createdAt"
     from device_grants where user_code = ? and status = 'pending' and expires_at > now()`,
    [userCode],
  )
  return row ? { ...row, createdAt: new Date(row.createdAt) } : null
}

export async function decideDeviceGrant(
  em: EntityManager,
  userCode: string,
  userId: string,
  status: 'approved' | 'denied',
): Promise<boolean> {
  const decided = await em.execute<unknown[]>(
    `update device_grants set status = ?, user_id = ?
     where user_code = ? and status = 'pending' and expires_at > now() returning user_code`,
    [status, userId, userCode],
  )
  return decided.length === 1
}

export async function withdrawDeviceGrants(em: EntityManager, userId: string): Promise<void> {
  await em.execute(`update device_grants set status = 'denied' where user_id = ? and status = 'approved'`, [
    userId,
  ])
}

export type DevicePoll =
  | { state: 'unknown' | 'expired' | 'pending' | 'denied' | 'too_soon' }
  | { state: 'approved'; userId: string; deviceName: string }

/** Redeems an approved grant; polling too soon adds 5 s (RFC 8628, section 3.5). */
export async function pollDeviceGrant(em: EntityManager, deviceHash: string): Promise<DevicePoll> {
  const [grant] = await em.execute<
    { status: string; userId: string | null; deviceName: string; isExpired: boolean; isTooSoon: boolean }[]
  >(
    `select g.status, g.user_id as "userId", g.device_name as "deviceName", g.expires_at <= now() as "isExpired",
            coalesce(g.last_polled_at > clock_timestamp() - make_interval(secs => g.poll_seconds), false)
              as "isTooSoon"
     from device_grants g where g.device_hash = ? for update`,
    [deviceHash],
  )
  if (!grant) return { state: 'unknown' }
  if (grant.isExpired || grant.status === 'redeemed') return { state: 'expired' }
  if (grant.status === 'denied') return { state: 'denied' }
  const approved = grant.status === 'approved' && grant.userId !== null
  await em.execute(
    `update device_grants set last_polled_at = clock_timestamp(), status = ?,
       poll_seconds = poll_seconds + case when ?::boolean then 5 else 0 end
     where device_hash = ?`,
    [approved ? 'redeemed' : grant.status, grant.isTooSoon, deviceHash],
  )
  if (approved) return { state: 'approved', userId: grant.userId!, deviceName: grant.deviceName }
  return { state: grant.isTooSoon ? 'too_soon' : 'pending' }
}
