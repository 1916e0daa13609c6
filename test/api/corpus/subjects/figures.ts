import type { Player } from '../player.ts'
import { AT_60, buying, NOBODY } from './orders.ts'

const QUERIES: readonly string[] = [
  '/trades',
  '/trades?status=OPEN',
  '/trades?status=CLOSED',
  '/trades?side=SHORT',
  '/trades?symbol=ZTFIGA',
  '/trades?sort=realisedPnl&direction=asc',
  '/trades?sort=odd',
  '/trades?limit=1',
  `/trades?accountId=${NOBODY}`,
  '/trades?closedFrom=2020-01-01&closedTo=2020-01-02',
  '/trades/totals',
  '/trades/totals?symbol=ZTFIGA',
  `/trades/${NOBODY}`,
  '/orders/open-trades',
  '/dashboard/summary',
  '/dashboard/summary?odd=1',
  '/dashboard/balance-history',
  '/dashboard/balance-history?from=2020-01-02&to=2020-01-01',
  `/dashboard/equity-today?accountId=${NOBODY}`,
  '/dashboard/equity-today?odd=1',
  '/dashboard/account-performance',
  '/dashboard/account-performance?period=1W',
  '/dashboard/account-performance?period=ODD',
  '/dashboard/trade-statistics',
  '/dashboard/trade-statistics?symbol=ZTFIGB',
  '/dashboard/trade-statistics?period=1M&from=2020-01-01',
  '/positions',
  '/signals/timing?from=2020-01-02&to=2020-01-01',
  '/agenda',
  '/alerts',
  '/settings/risk-usage',
  '/desktop/sync/snapshot',
]

/** Trades and the figures that follow from them: one gain, one loss by a short sale, one position that is open. */
export async function figures(player: Player): Promise<void> {
  const { token, accountId } = player
  for (const query of ['/dashboard/summary', '/trades', '/trades/totals', '/dashboard/trade-statistics'])
    await token.get(query)
  for (const [symbol, side, moved] of [
    ['ZTFIGA', 'BUY', 110],
    ['ZTFIGB', 'SELL', 105],
  ] as const) {
    await player.pin(symbol, 100)
    const { order } = await token.post('/orders', buying(player, symbol, { side }))
    await player.order(order.id, 'FILLED')
    await player.pin(symbol, moved)
    const [{ order: closing }] = (await token.post(`/positions/${accountId}/${symbol}/close`)).orders
    await player.order(closing.id, 'FILLED')
  }
  await player.pin('ZTFIGC', 50)
  const { order: open } = await token.post('/orders', buying(player, 'ZTFIGC'))
  await player.order(open.id, 'FILLED')
  const { order: resting } = await token.post(
    '/orders',
    buying(player, 'ZTFIGC', { ...AT_60, limitPrice: 30 }),
  )
  await player.order(resting.id, 'OPEN')
  await token.post(`/accounts/${accountId}/sync`)
  for (const query of QUERIES) await token.get(query)
  const { data } = await token.get('/trades?status=OPEN')
  await token.get(`/trades/${data.trades[0].id}`)
  await token.get(`/accounts/${accountId}`)
  await token.get(`/accounts/${accountId}/summary`)
}
