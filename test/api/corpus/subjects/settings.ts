import { NOT_BY_THE_CLOCK, type Player } from '../player.ts'
import { AT_60, buying, NOBODY } from './orders.ts'
import { signalTo } from './signals.ts'

/** Halts of every level and limits, with an order, a signal and a closing under each. */
export async function settings(player: Player): Promise<void> {
  const { token, person, accountId } = player
  for (const symbol of ['ZTSET', 'ZTLIMIT']) await player.pin(symbol, 100)
  const order = (changes: object = {}) => token.post('/orders', buying(player, 'ZTSET', changes))
  const limit = (limits: object) =>
    person.put(`/settings/risk/${accountId}`, { ...NOT_BY_THE_CLOCK, ...limits })
  const bought = await order()
  await player.order(bought.order.id, 'FILLED')

  await token.get('/settings/halts')
  await person.put('/settings/halt', { level: 'odd', reason: '', more: 1 })
  await person.put(`/settings/halt/${NOBODY}`, { level: 'fullStop' })
  for (const [path, level] of [
    ['/settings/halt', 'pauseEntries'],
    ['/settings/halt', 'reduceOnly'],
    [`/settings/halt/${accountId}`, 'reduceOnly'],
    [`/settings/halt/${accountId}`, 'fullStop'],
  ] as const) {
    await token.put(path, { level, reason: 'drill' })
    const changes = level === 'pauseEntries' ? AT_60 : {}
    await order(changes)
    await order({ side: 'SELL', quantity: 1 })
    await token.post('/signals', signalTo(player, 'ZTSET'))
    await token.post(`/positions/${accountId}/ZTSET/close`, { quantity: 1 })
    await token.get('/settings/halts')
    await token.delete(path)
    await person.delete(path)
  }
  await person.delete('/settings/halt')
  await token.get('/settings/halts?limit=1')
  await token.get('/orders')

  await token.get('/settings/risk')
  await token.get(`/settings/risk/${accountId}`)
  await token.get(`/settings/risk/${NOBODY}`)
  await limit({ maxOrderShares: -1, priceCollarPercent: 'odd', marketHours: 'never', odd: 1 })
  for (const limits of [
    { maxOrderShares: 5 },
    { maxOrderValue: 500 },
    { maxPositionShares: 1 },
    { forbiddenSymbols: ['ZTLIMIT'] },
    { allowedSymbols: ['AAPL'] },
    { maxOrdersPerDay: 0 },
    { duplicateWindowSeconds: 86_400, duplicatePolicy: 'reject' },
  ]) {
    await limit(limits)
    // Of what is held the broker may not have told yet, which changes the words for some seconds.
    await order({ symbol: 'ZTLIMIT', quantity: 11 })
    await order({ symbol: 'ZTLIMIT', quantity: 12, dryRun: true })
  }
  await limit({ priceCollarPercent: 10 })
  await order({ ...AT_60, symbol: 'ZTLIMIT' })
  await token.put(`/settings/risk/${accountId}`, {})
  await token.get('/settings/risk-usage')
  await token.get('/settings/risk')
  await person.delete(`/settings/risk/${accountId}`)
  await token.get(`/settings/risk/${accountId}`)
  await token.get('/orders?status=REJECTED')
  await person.get('/audit-log?limit=5')
}
