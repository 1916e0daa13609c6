import type { Player } from '../player.ts'
import { AT_60, buying, NOBODY } from './orders.ts'

/** Positions, and closing them one by one: whole, in part, twice, and those that are not there. */
export async function positions(player: Player): Promise<void> {
  const { token, person, accountId } = player
  const close = (symbol: string, body?: object, headers?: Record<string, string>) =>
    token.post(`/positions/${accountId}/${symbol}/close`, body, headers)
  const lists = async () => {
    for (const path of ['', `/${accountId}`]) await token.get(`/positions${path}`)
  }
  await lists()
  await close('ZTPOSA')
  for (const [symbol, side] of [
    ['ZTPOSA', 'BUY'],
    ['ZTPOSB', 'SELL'],
    ['ZTPOSC', 'BUY'],
  ] as const) {
    await player.pin(symbol, 100)
    const { order } = await token.post('/orders', buying(player, symbol, { side }))
    await player.order(order.id, 'FILLED')
  }
  await lists()
  await token.get('/positions?symbol=ztposa')
  await token.get(`/positions?accountId=${NOBODY}`)
  await token.get('/positions?accountId=mine&odd=1')
  await token.get(`/positions/${NOBODY}`)

  await close('ZTPOSA', { quantity: 0 })
  await close('ZTPOSA', { quantity: 'all', odd: 1 })
  await token.post(`/positions/${NOBODY}/ZTPOSA/close`)
  const [part] = (await close('ZTPOSA', { quantity: 4 })).orders
  await player.order(part.order.id, 'FILLED')
  await token.get(`/orders/${part.order.id}/events`)
  const key = { 'Idempotency-Key': 'close-once' }
  const [keyed] = (await close('ZTPOSA', { quantity: 1 }, key)).orders
  await player.order(keyed.order.id, 'FILLED')
  await close('ZTPOSA', { quantity: 1 }, key)
  await close('ZTPOSA', { quantity: 2 }, key)
  await close('ZTPOSB', { quantity: 1 }, key)
  await token.post('/orders', buying(player, 'ZTPOSA'), key)
  await close('ZTPOSA', { quantity: 1 }, { 'Idempotency-Key': '{{id}}' })
  const [more] = (await close('ZTPOSA', { quantity: 500 })).orders
  await player.order(more.order.id, 'FILLED')
  await close('ZTPOSA')

  const { order: resting } = await token.post(
    '/orders',
    buying(player, 'ZTPOSC', { side: 'SELL', ...AT_60, limitPrice: 140 }),
  )
  await player.order(resting.id, 'OPEN')
  await lists()
  const { orders } = await close('ZTPOSC')
  for (const { order } of orders) await player.order(order.id, 'FILLED')
  await player.order(resting.id, 'CANCELLED')
  await token.get(`/orders/${resting.id}/events`)
  const [short] = (await close('ZTPOSB', {})).orders
  await player.order(short.order.id, 'FILLED')
  await token.get(`/orders/${short.order.id}`)
  await lists()

  await player.pin('ZTPOSD', 100)
  const exit = { exitTriggerType: 'immediate', exitOrderType: 'limit', exitLimitPrice: 150 }
  const opening = { symbol: 'ZTPOSD', action: 'openLong', accountId, quantity: 10, executeMode: 'immediate' }
  const { signal } = await token.post('/signals', { ...opening, ...exit })
  await player.signal(signal.id, { 'exit.status': 'submitted' })
  await lists()
  await person.put('/settings/halt', { level: 'fullStop', reason: 'drill' })
  await close('ZTPOSD', { quantity: 3 })
  await person.delete('/settings/halt')
  await player.signal(signal.id, { 'exit.status': 'submitted' })
  const [ofSignal] = (await close('ZTPOSD')).orders
  await player.order(ofSignal.order.id, 'FILLED')
  await player.signal(signal.id, { 'exit.status': 'cancelled' })
  await token.get(`/orders/${ofSignal.order.id}/events`)
  await token.get(`/signals/${signal.id}`)
  await token.get(`/signals/${signal.id}/events`)
  await token.get('/signals')
  await token.get('/orders?source=manual')
  await token.get('/orders?source=signal')
  await token.get('/trades?sort=exitAt')
  await token.get('/trades/totals')
  await lists()

  const protect = (symbol: string, plan: object, account = accountId) =>
    token.post(`/positions/${account}/${symbol}/protection`, plan)
  const stop = { stop: { percent: 5 } }
  await protect('ZTPOSD', stop)
  await player.pin('ZTPOSD', 100)
  const { order: bought } = await token.post('/orders', buying(player, 'ZTPOSD', { side: 'BUY' }))
  await player.order(bought.id, 'FILLED')
  await protect('ZTPOSD', {})
  await protect('ZTPOSD', { stop: { percent: -5 }, odd: 1 })
  await protect('ZTPOSD', stop, NOBODY)
  await protect('ZTPOSD', stop)
}
