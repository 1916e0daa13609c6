import type { Body } from './draft.ts'

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
 * The message of a TradingView alert: its placeholders name the share, and tell one alert from the next, so that a
 * repetition of one sends no second order. Times of one day make no sense in an alert and are left out.
 */
export function asTradingView(body: Body): string {
  const {
    scheduledProcessAt: _scheduled,
    validUntil: _until,
    timezone: _zone,
    expiresAt: _expires,
    ...lasting
  } = body
  return asJson({
    ...lasting,
    symbol: '{{ticker}}',
    executeMode: body.executeMode === 'scheduled' ? 'immediate' : body.executeMode,
    ...(body.timeInForce === 'gtd' && { timeInForce: 'gtc' }),
    ...(body.limitPrice !== undefined && { limitPrice: '{{close}}' }),
    sourceId: `alert ${body.action} {{ticker}} {{interval}} {{time}}`,
  })
}
