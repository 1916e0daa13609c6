import type { Body } from '../trade/requests.ts'

export const asJson = (body: object): string => JSON.stringify(body, null, 2)

/** A command line that sends the body; without a token what stands for one is to be replaced. */
export const asCurl = (body: Body, origin: string, token = 'YOUR_TOKEN'): string =>
  [
    `curl -X POST '${origin}/api/v1/signals' \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${asJson(body).replaceAll("'", String.raw`'\''`)}'`,
  ].join('\n')

/**
 * What an alert of TradingView is created on. alert: an indicator, a price or a drawing, where each alert asks for the same. orders:
 * a strategy whose positions are of one side. turns: a strategy that turns from long to short.
 */
export type AlertOn = 'alert' | 'orders' | 'turns'

/** The message of a TradingView alert; TradingView fills in its placeholders once for each alert. */
export const asTradingView = (body: Body, on: AlertOn): string =>
  asJson(on === 'alert' ? sameEachTime(body) : strategyOrder(body, on))

/**
 * The signal itself. Times of one day make no sense in an alert and are left out. The name of the signal, which no other has, tells
 * two alerts of one second apart.
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

/** An order of a strategy: it says itself how much it trades and when it leaves, so that prices and exits are left out. */
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
