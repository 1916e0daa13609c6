import { PLANS_WITH_TOKENS } from '#domain/token-plans.ts'

/** An order as statements see it that ask for the right of its sender: expressions, and the scope that it takes. */
interface Asked {
  /** Ids; without a token a person asked for it. */
  user: string
  token: string
  scope: 'signals:write' | 'orders:write'
  /** Condition: a person has taken the responsibility over since. */
  isApproved: string
}

/** @param s has the columns of a signal */
const signal = (s: string): Asked => ({
  user: `${s}.user_id`,
  token: `${s}.token_id`,
  scope: 'signals:write',
  // Only people decide, and a declined signal has ended.
  isApproved: `(${s}.decided_by is not null)`,
})

/** @param h has the columns of a manual order, which nobody approves */
const manualOrder = (h: string): Asked => ({
  user: `${h}.user_id`,
  token: `${h}.token_id`,
  scope: 'orders:write',
  isApproved: 'false',
})

/**
 * Whether whoever asked for an order may still open a position: asked in the statements that decide about it and that let it
 * out. It asks of a token what every request with it is asked (`findTokenHolder`, `isCoveredByPlan`).
 */
const senderDenialSql = ({ user, token, scope, isApproved }: Asked): string => `case
  when exists (select from users u where u.id = ${user} and u.disabled_at is not null) then 'USER_DISABLED'
  when ${token} is not null and not ${isApproved} and not exists (
    select from access_tokens t join users u on u.id = t.user_id
    where t.id = ${token} and t.user_id = ${user} and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > now()) and '${scope}' = any (t.scopes)
      and (t.kind = 'desktop' or u.plan in (${PLANS_WITH_TOKENS.map((plan) => `'${plan}'`).join(', ')})))
  then 'SENDER_REVOKED' end`

/** An expression for the `TokenBounds` that hold for what was asked for; those of no token while a person answers for it. */
const senderBoundsSql = ({ token, isApproved }: Asked): string =>
  `coalesce((select t.bounds from access_tokens t where t.id = ${token} and not ${isApproved}), '{}')`

/** An expression for the `SenderDenial` of a signal, or null; `s` has the columns of one. */
export const signalSenderSql = (s: string): string => senderDenialSql(signal(s))

/** An expression for the `SenderDenial` of a manual order, or null; `h` has the columns of one. */
export const orderSenderSql = (h: string): string => senderDenialSql(manualOrder(h))

/** The `TokenBounds` that hold for a signal that is about to be sent; `s` has the columns of one. */
export const signalBoundsSql = (s: string): string => senderBoundsSql(signal(s))

/** The `TokenBounds` that hold for a manual order that is about to be sent; `h` has the columns of one. */
export const orderBoundsSql = (h: string): string => senderBoundsSql(manualOrder(h))
