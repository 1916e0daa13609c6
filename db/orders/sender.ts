import { PLANS_WITH_TOKENS } from '#domain/token-plans.ts'

/** SQL expressions. */
interface Asked {
  user: string
  token: string
  scope: 'signals:write' | 'orders:write'
  /** SQL condition: a person took over the responsibility. */
  isApproved: string
}

/** `s` has the columns of a signal. */
const signal = (s: string): Asked => ({
  user: `${s}.user_id`,
  token: `${s}.token_id`,
  scope: 'signals:write',
  // Only people decide, and a declined signal has ended.
  isApproved: `(${s}.decided_by is not null)`,
})

/** `h` has the columns of a manual order, which has no approval. */
const manualOrder = (h: string): Asked => ({
  user: `${h}.user_id`,
  token: `${h}.token_id`,
  scope: 'orders:write',
  isApproved: 'false',
})

/** Whether the sender may still open a position; of a token as `findTokenHolder` and `isCoveredByPlan` ask. */
const senderDenialSql = ({ user, token, scope, isApproved }: Asked): string => `case
  when exists (select from users u where u.id = ${user} and u.disabled_at is not null) then 'USER_DISABLED'
  when ${token} is not null and not ${isApproved} and not exists (
    select from access_tokens t join users u on u.id = t.user_id
    where t.id = ${token} and t.user_id = ${user} and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > now()) and '${scope}' = any (t.scopes)
      and (t.kind = 'desktop' or u.plan in (${PLANS_WITH_TOKENS.map((plan) => `'${plan}'`).join(', ')})))
  then 'SENDER_REVOKED' end`

/** SQL: `TokenBounds`; none after an approval. */
const senderBoundsSql = ({ token, isApproved }: Asked): string =>
  `coalesce((select t.bounds from access_tokens t where t.id = ${token} and not ${isApproved}), '{}')`

/** SQL: `SenderDenial` or null. */
export const signalSenderSql = (s: string): string => senderDenialSql(signal(s))

export const orderSenderSql = (h: string): string => senderDenialSql(manualOrder(h))

export const signalBoundsSql = (s: string): string => senderBoundsSql(signal(s))

export const orderBoundsSql = (h: string): string => senderBoundsSql(manualOrder(h))
