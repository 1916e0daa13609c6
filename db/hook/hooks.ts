import type { Expectation } from '#domain/hook/expectation.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { HookKind, HookSettings } from '#domain/hook/settings.ts'
import type { TokenBounds, TokenRefusal } from '#domain/risk/token-bounds.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { newestFirst, sliceOfRows, type Page, type Slice } from '../engine/page.ts'
import { queryRows } from '../engine/row-security.ts'
import { sharesOfManagerSql } from '../position/owners.ts'
import { waitingSignalsSql } from '../signal/of-tokens.ts'
import { SECRET_IS_GOOD, type HookSecret } from './secrets.ts'

export interface HookTerms {
  name: string
  kind: HookKind
  settings: HookSettings
  requestsPerMinute: number
  addresses: string[]
  expects: Expectation | null
}

export interface HookRecord extends HookTerms {
  id: string
  isLive: boolean
  isSigning: boolean
  secrets: HookSecret[]
  firstRequestAt: string | null
  lastRequestAt: string | null
  lastAcceptedAt: string | null
  lastRefusal: TokenRefusal | null
  waitingSignals: number
  owns: { accountId: string; symbol: string; side: 'LONG' | 'SHORT'; quantity: Decimal }[]
  createdAt: string
  updatedAt: string
}

const OWN_HOOKS = `
  select h.id, h.name, h.kind, h.settings, h.requests_per_minute as "requestsPerMinute", h.addresses, h.expects,
    t.bounds ->> 'demoOnly' is null as "isLive", h.sealed_signing_key is not null as "isSigning",
    h.first_request_at as "firstRequestAt", h.last_request_at as "lastRequestAt", h.last_accepted_at as "lastAcceptedAt",
    t.last_refusal as "lastRefusal", ${waitingSignalsSql('h.id')} as "waitingSignals",
    ${sharesOfManagerSql('h.user_id', `coalesce((h.settings ->> 'strategyId')::uuid, h.id)`)} as owns,
    h.created_at as "createdAt", h.updated_at as "updatedAt",
    (select coalesce(json_agg(json_build_object('id', s.id, 'createdAt', s.created_at, 'endsAt', s.ends_at,
       'lastUsedAt', s.last_used_at) order by s.created_at desc), '[]')
     from hook_secrets s where s.hook_id = h.id and ${SECRET_IS_GOOD}) as secrets
  from hooks h join access_tokens t on t.id = h.id
  where h.user_id = ? and t.revoked_at is null`

export const HOOK_ORDER = newestFirst('createdAt')

export const listHooks = (em: EntityManager, userId: string, page: Page): Promise<Slice<HookRecord>> =>
  sliceOfRows<HookRecord>(em, { sql: OWN_HOOKS, parameters: [userId] }, HOOK_ORDER, page)

export async function findHook(em: EntityManager, userId: string, id: string): Promise<HookRecord | null> {
  const [hook] = await queryRows<HookRecord>(em, `${OWN_HOOKS} and h.id = ?`, [userId, id])
  return hook ?? null
}

export async function isOwnHook(em: EntityManager, userId: string, id: string): Promise<boolean> {
  const rows = await queryRows<object>(
    em,
    `select id from access_tokens where id = ? and user_id = ? and kind = 'hook' and revoked_at is null`,
    [id, userId],
  )
  return rows.length > 0
}

export async function countHooks(em: EntityManager, userId: string): Promise<number> {
  const [row] = await em.execute<{ held: number }[]>(
    `select count(*)::int as held from access_tokens where user_id = ? and kind = 'hook' and revoked_at is null`,
    [userId],
  )
  return row!.held
}

const boundsOf = ({ accounts, executeMode }: HookSettings, isLive: boolean): TokenBounds => ({
  accountIds: accounts.map(({ accountId }) => accountId),
  ...(!isLive && { demoOnly: true }),
  // A caller with the address cannot bypass the owner's approval.
  ...(executeMode === 'pending' && { pendingOnly: true }),
})

export async function insertHook(
  em: EntityManager,
  userId: string,
  hook: HookTerms & { id: string; secret: { id: string; hash: string } },
): Promise<void> {
  const { id, name, settings, secret } = hook
  await em.execute(
    `insert into access_tokens (id, user_id, kind, label, prefix, scopes, expires_at, bounds)
     values (?, ?, 'hook', ?, 'hook', '{signals:write}', null, ?::jsonb)`,
    [id, userId, name, toStorableJson(boundsOf(settings, false))],
  )
  await em.execute(
    `insert into hooks (id, user_id, name, kind, settings, requests_per_minute, addresses, expects)
     values (?, ?, ?, ?, ?::jsonb, ?, array(select json_array_elements_text(?::json)), ?::jsonb)`,
    [
      id,
      userId,
      name,
      hook.kind,
      toStorableJson(settings),
      hook.requestsPerMinute,
      toStorableJson(hook.addresses),
      hook.expects && toStorableJson(hook.expects),
    ],
  )
  await em.execute('insert into hook_secrets (id, user_id, hook_id, hash) values (?, ?, ?, ?)', [
    secret.id,
    userId,
    id,
    secret.hash,
  ])
}

/** Null when missing. Locked until the transaction ends. */
export async function lockHook(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<(HookTerms & { isLive: boolean }) | null> {
  // The token is locked first, as everywhere; the later read is current.
  const locked = await em.execute<unknown[]>(
    `select from access_tokens where id = ? and user_id = ? and kind = 'hook' and revoked_at is null for no key update`,
    [id, userId],
  )
  if (locked.length === 0) return null
  const [hook] = await em.execute<(HookTerms & { isLive: boolean })[]>(
    `select h.name, h.kind, h.settings, h.requests_per_minute as "requestsPerMinute", h.addresses, h.expects,
            t.bounds ->> 'demoOnly' is null as "isLive"
     from hooks h join access_tokens t on t.id = h.id where h.id = ? and h.user_id = ?`,
    [id, userId],
  )
  return hook ?? null
}

/** Requires the hook's lock. */
export async function writeHook(
  em: EntityManager,
  userId: string,
  id: string,
  { name, settings, requestsPerMinute, addresses, expects, isLive }: HookTerms & { isLive: boolean },
): Promise<void> {
  await em.execute(
    `with token as (
       update access_tokens set label = ?, bounds = ?::jsonb where id = ? and user_id = ?
     )
     update hooks set name = ?, settings = ?::jsonb, requests_per_minute = ?,
       addresses = array(select json_array_elements_text(?::json)), expects = ?::jsonb,
       expects_since = case when expects is distinct from ?::jsonb then now() else expects_since end, updated_at = now()
     where id = ? and user_id = ?`,
    [
      name,
      toStorableJson(boundsOf(settings, isLive)),
      id,
      userId,
      name,
      toStorableJson(settings),
      requestsPerMinute,
      toStorableJson(addresses),
      expects && toStorableJson(expects),
      expects && toStorableJson(expects),
      id,
      userId,
    ],
  )
}

/** Sealed key; null for none. */
export async function setSigningKey(
  em: EntityManager,
  userId: string,
  id: string,
  sealed: string | null,
): Promise<void> {
  await em.execute(
    'update hooks set sealed_signing_key = ?, updated_at = now() where id = ? and user_id = ?',
    [sealed, id, userId],
  )
}
