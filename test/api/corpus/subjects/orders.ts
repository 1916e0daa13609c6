import type { Player } from '../player.ts'

/** A manual order at market, unless told otherwise. */
export const buying = ({ accountId }: Player, symbol: string, changes: object = {}): object => ({
  accountId,
  symbol,
  side: 'BUY',
  orderType: 'MARKET',
  quantity: 10,
  ...changes,
})
export const AT_60 = { orderType: 'LIMIT', limitPrice: 60, timeInForce: 'GTC' }
export const NOBODY = '00000000-0000-4000-8000-000000000000'

const FAULTY: readonly unknown[] = [
  {},
  { symbol: 'not a symbol at all, and too long', side: 'HOLD', orderType: 'ODD', quantity: -1 },
  { orderType: 'LIMIT' },
  { orderType: 'MARKET', limitPrice: 1, stopPrice: 2 },
  { orderType: 'STOP_LIMIT', limitPrice: 0, stopPrice: 'high' },
  { quantity: 0.0000000001 },
  { timeInForce: 'GTD' },
  { unknownField: 1, extendedHours: 'maybe', reduceOnly: 'perhaps' },
  { accountId: NOBODY },
  { accountId: 'mine' },
  { symbol: '{{ticker}}' },
]

/** Placing, looking at and cancelling manual orders. */
export async function orders(player: Player): Promise<void> {
  const { token, person, anybody } = player
  const place = (symbol: string, changes: object = {}, headers: Record<string, string> = {}) =>
    token.post('/orders', buying(player, symbol, changes), headers)
  for (const symbol of ['ZTONE', 'ZTSHORT', 'ZTNONE']) await player.pin(symbol, 100)

  for (const changes of FAULTY) {
    const isWhole = Object.keys(changes as object).length === 0
    await token.post('/orders', isWhole ? {} : buying(player, 'ZTONE', changes as object))
  }
  await token.post('/orders', '{"accountId":')
  await token.post('/orders', '[]')
  await token.post('/orders')
  await anybody.post('/orders', buying(player, 'ZTONE'))

  await place('ZTONE', { dryRun: true })
  await place('ZTONE', { ...AT_60, dryRun: true })
  await place('ZTONE', { side: 'SELL', reduceOnly: true, dryRun: true })
  await place('ZTONE', { side: 'SELL', reduceOnly: true })
  const { order: bought } = await place('ZTONE')
  await player.order(bought.id, 'FILLED')
  for (const part of ['', '/status', '/events']) await token.get(`/orders/${bought.id}${part}`)
  await token.get('/positions')
  await token.delete(`/orders/${bought.id}`)
  await token.post(`/orders/${bought.id}/let-go`)

  const keyed = { 'Idempotency-Key': 'once' }
  const { order: once } = await place('ZTONE', { quantity: 5 }, keyed)
  await player.order(once.id, 'FILLED')
  await place('ZTONE', { quantity: 5 }, keyed)
  await place('ZTONE', { quantity: 5, dryRun: true }, keyed)
  await place('ZTONE', { quantity: 6 }, keyed)
  await person.post('/orders', buying(player, 'ZTONE', { quantity: 7, dryRun: true }), keyed)
  await place('ZTONE', {}, { 'Idempotency-Key': '' })
  await place('ZTONE', {}, { 'Idempotency-Key': 'two words' })
  await place('ZTONE', {}, { 'Idempotency-Key': '{{order.id}}' })
  await place('ZTONE', {}, { 'Idempotency-Key': 'null' })

  const { order: sold } = await place('ZTONE', { side: 'SELL', quantity: 4, reduceOnly: true })
  await player.order(sold.id, 'FILLED')
  const { order: cut } = await place('ZTONE', { side: 'SELL', quantity: 400 })
  await player.order(cut.id, 'FILLED')
  await token.get(`/orders/${cut.id}`)
  await place('ZTONE', { side: 'SELL', quantity: 3 })
  const { order: short } = await place('ZTSHORT', { side: 'SELL', quantity: 3 })
  await player.order(short.id, 'FILLED')
  await token.get('/positions')
  const { order: covered } = await place('ZTSHORT', { quantity: 30 })
  await player.order(covered.id, 'FILLED')
  await token.get(`/orders/${covered.id}/events`)
  await token.get('/positions')

  const { order: limit } = await place('ZTONE', AT_60)
  await player.order(limit.id, 'OPEN')
  for (const part of ['', '/status', '/events']) await token.get(`/orders/${limit.id}${part}`)
  await token.post(`/orders/${limit.id}/let-go`)
  await token.delete(`/orders/${limit.id}`)
  await player.order(limit.id, 'CANCELLED')
  await token.delete(`/orders/${limit.id}`)
  for (const part of ['', '/status', '/events']) await token.get(`/orders/${limit.id}${part}`)

  const { order: stop } = await place('ZTONE', { orderType: 'STOP', stopPrice: 120, timeInForce: 'DAY' })
  await player.order(stop.id, 'OPEN')
  const both = { orderType: 'STOP_LIMIT', stopPrice: 130, limitPrice: 131, timeInForce: 'GTC' }
  const { order: stopLimit } = await place('ZTONE', both)
  await player.order(stopLimit.id, 'OPEN')
  await token.get(`/orders/${stopLimit.id}`)
  await player.pin('ZTONE', 121)
  await player.order(stop.id, 'FILLED')
  await token.get(`/orders/${stop.id}`)
  const { order: ioc } = await place('ZTONE', { ...AT_60, limitPrice: 70, timeInForce: 'IOC' })
  await player.order(ioc.id, 'CANCELLED')
  await token.get(`/orders/${ioc.id}`)
  const { order: fok } = await place('ZTONE', { orderType: 'LIMIT', limitPrice: 125, timeInForce: 'FOK' })
  await player.order(fok.id, 'FILLED')
  await place('ZTONE', { quantity: 100_000_000 })
  await place('ZTONE', { extendedHours: true })
  await place('NOSUCHSYM')
  await place('ZTNONE', { timeInForce: 'CLS', dryRun: true })

  await token.get('/orders')
  await token.post('/orders/cancel-all', { symbol: 'ZTOTHER' })
  await token.post('/orders/cancel-all', { accountId: NOBODY })
  await token.post('/orders/cancel-all', { keepExits: 'sure', odd: 1 })
  await token.post('/orders/cancel-all', { accountId: player.accountId })
  await player.order(stopLimit.id, 'CANCELLED')
  await token.post('/orders/cancel-all')

  for (const part of ['', '/status', '/events']) await token.get(`/orders/${NOBODY}${part}`)
  await token.get('/orders/not-an-id')
  await token.delete(`/orders/${NOBODY}`)
  await token.post(`/orders/${NOBODY}/let-go`)
  await token.put('/orders', {})
}
