import type { Body } from '../trade/requests.ts'

export const asJson = (body: object): string => JSON.stringify(body, null, 2)

/** Command line with the body, and a placeholder for an absent token. */
export const asCurl = (body: Body, origin: string, token = 'YOUR_TOKEN'): string =>
  [
    `curl -X POST '${origin}/api/v1/signals' \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${asJson(body).replaceAll("'", String.raw`'\''`)}'`,
  ].join('\n')

/**
 * Object of a TradingView alert. alert: an indicator, a price or a drawing. orders: a strategy with positions of one
 * side. turns: a strategy that turns from long to short.
 */
export type AlertOn = 'alert' | 'orders' | 'turns'

/** Message whose placeholders TradingView fills in for each alert. */
export const asTradingView = (body: Body, on: AlertOn): string =>
  asJson(on === 'alert' ? sameEachTime(body) : strategyOrder(body, on))

/**
 * Times of one day make no sense in an alert and are omitted. The unique name distinguishes two alerts within one
 * second.
 */
function sameEachTime(body: Body): object {
  const {
    scheduledProcessAt: _scheduled,
    validUntil: _until,
    timezone: _zone,
    expiresAt: _expires,
    ...lasting
  } = body
  return {
    ...lasting,
    symbol: '{{ticker}}',
    executeMode: executeModeOf(body),
    ...(body.timeInForce === 'gtd' && { timeInForce: 'gtc' }),
    ...(body.limitPrice !== undefined && { limitPrice: '{{close}}' }),
    sourceId: `${nameOf(body)} ${body.action} ${body.quantity} {{ticker}} {{interval}} {{timenow}}`,
  }
}

/** A strategy's orders determine size and exit themselves: prices and exits are omitted. */
const strategyOrder = (body: Body, on: 'orders' | 'turns'): object => ({
  symbol: '{{ticker}}',
  action: on === 'turns' ? 'openLong' : '{{strategy.order.alert_message}}',
  ...(body.accountIds == null ? { accountId: body.accountId } : { accountIds: body.accountIds }),
  quantity: '{{strategy.order.contracts}}',
  ...(on === 'turns' && { targetPosition: '{{strategy.position_size}}', targetAt: '{{timenow}}' }),
  executeMode: executeModeOf(body),
  ...(body.strategyId !== undefined && { strategyId: body.strategyId }),
  sourceId:
    `${nameOf(body)} {{ticker}} {{interval}} {{strategy.order.id}} {{strategy.order.action}} ` +
    '{{strategy.order.contracts}} {{strategy.position_size}} {{timenow}}',
})

const nameOf = ({ sourceId }: Body): string => sourceId ?? 'alert'
const executeModeOf = ({ executeMode }: Body): Body['executeMode'] =>
  executeMode === 'scheduled' ? 'immediate' : executeMode
