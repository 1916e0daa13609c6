import type { Player } from '../player.ts'
import { NOBODY } from './orders.ts'

/** A signal that buys ten shares now, unless told otherwise. */
export const signalTo = ({ accountId }: Player, symbol: string, changes: object = {}): object => ({
  symbol,
  action: 'openLong',
  accountId,
  quantity: 10,
  executeMode: 'immediate',
  ...changes,
})

const FAULTY: readonly object[] = [
  { action: 'hold', quantity: -1, executeMode: 'later', orderType: 'odd' },
  { orderType: 'limit' },
  { limitPrice: 1, stopPrice: 2 },
  { executeMode: 'scheduled' },
  { executeMode: 'scheduled', scheduledProcessAt: '2020-01-02T10:00:00', timezone: 'America/New_York' },
  { validUntil: '2020-01-02T10:00:00' },
  { exitTriggerType: 'minutesAfterEntry' },
  { exitTriggerType: 'timeOfDay', exitOrderType: 'limit' },
  { quantityType: 'percentEquity', quantity: 101 },
  { action: 'closeLong', protection: { stop: { percent: 5 } } },
  { protection: { stop: { percent: 5, price: 4 }, target: {} } },
  { targetPosition: 5, orderType: 'stop', stopPrice: 3 },
  { accountId: NOBODY },
  { strategyId: NOBODY },
  { sourceId: '{{id}}', metadata: 'text' },
  { unknownField: true },
]

/** Signals of every action, how they are sent, sized, repeated, replaced and listed. */
export async function signals(player: Player): Promise<void> {
  const { token, anybody, accountId } = player
  const send = (symbol: string, changes: object = {}) =>
    token.post('/signals', signalTo(player, symbol, changes))
  for (const symbol of ['ZTSIGA', 'ZTSIGB', 'ZTSIGC']) await player.pin(symbol, 100)
  await token.post('/signals', {})
  await token.post('/signals', 'no JSON')
  for (const changes of FAULTY) await send('ZTSIGA', changes)
  await anybody.post('/signals', {})

  await send('ZTSIGA', { dryRun: true })
  await send('ZTSIGA', { action: 'closeLong', dryRun: true })
  const { signal: long } = await send('ZTSIGA', {
    sourceId: 'first',
    metadata: { setup: 'range', password: 'no' },
  })
  await player.signal(long.id)
  for (const part of ['', '/source', '/events', '/check']) await token.get(`/signals/${long.id}${part}`)
  await send('ZTSIGA', { sourceId: 'first' })
  await send('ZTSIGA', { sourceId: 'first', replaceExisting: true })
  const { signal: short } = await send('ZTSIGB', {
    action: 'openShort',
    quantity: 1_000,
    quantityType: 'dollarAmount',
  })
  await player.signal(short.id)
  await token.get(`/signals/${short.id}`)
  for (const [symbol, action] of [
    ['ZTSIGA', 'closeLong'],
    ['ZTSIGB', 'closeShort'],
  ]) {
    const { signal } = await send(symbol!, { action, quantity: 400 })
    await player.signal(signal.id)
    await token.get(`/signals/${signal.id}`)
  }
  await send('ZTSIGA', { action: 'closeLong' })
  await send('NOSUCHSYM')
  await send('ZTSIGC', { quantity: 5_000_000 })

  const { signal: target } = await send('ZTSIGC', { targetPosition: 10 })
  await player.signal(target.id)
  await token.get(`/signals/${target.id}`)
  await send('ZTSIGC', { targetPosition: 10 })
  const { signal: fewer } = await send('ZTSIGC', { targetPosition: 4 })
  await player.signal(fewer.id, { status: 'executed', filledQuantity: 6 })
  await token.get('/positions')

  const resting = { orderType: 'limit', limitPrice: 60, timeInForce: 'gtc' }
  const { signal: rests } = await send('ZTSIGA', { ...resting, sourceId: 'resting' })
  const { signal: replacing } = await send('ZTSIGA', {
    ...resting,
    limitPrice: 61,
    sourceId: 'resting',
    replaceExisting: true,
  })
  await player.signal(rests.id, { status: 'cancelled' })
  for (const { id } of [rests, replacing]) await token.get(`/signals/${id}`)
  await token.delete(`/signals/${replacing.id}`)
  const { data: shown } = await token.get(`/signals/${replacing.id}`)
  await token.delete(`/orders/${shown.orderId}`)
  await player.order(shown.orderId, 'CANCELLED')
  await token.get(`/signals/${replacing.id}/events`)

  const time = {
    executeMode: 'scheduled',
    scheduledProcessAt: '2099-01-05T10:00:00',
    timezone: 'America/New_York',
  }
  const { signal: scheduled } = await send('ZTSIGA', { ...time, sourceId: 'scheduled' })
  await token.get(`/signals/${scheduled.id}`)
  await token.get('/agenda')
  await send('ZTSIGA', { ...time, quantity: 5, sourceId: 'scheduled', replaceExisting: true })
  const { data: replaced } = await token.get('/signals?status=scheduled')
  for (let time = 0; time < 2; time += 1) await token.delete(`/signals/${replaced.signals[0].id}`)
  const window = { validUntil: '2099-01-05T10:00:00', timezone: 'Europe/Berlin', symbol: 'NYSE:ZTSIGA' }
  const { signal: valid } = await send('ZTSIGA', { ...window, ...resting })
  await token.get(`/signals/${valid.id}`)

  for (const query of [
    '',
    `?accountId=${accountId}`,
    '?status=executed',
    '?status=rejected,cancelled',
    '?status=odd',
    '?sourceId=first',
    '?symbol=ZTSIGB',
    '?executeMode=scheduled',
    '?exitStatus=waiting',
    '?sort=validUntil&limit=1',
    '?limit=1&offset=2',
    `?strategyId=${NOBODY}&groupId=${NOBODY}`,
    '?limit=0&odd=1',
  ])
    await token.get(`/signals${query}`)
  await token.get('/signals/timing?odd=1')
  for (const part of ['', '/source', '/events', '/timing', '/check'])
    await token.get(`/signals/${NOBODY}${part}`)
  await token.delete(`/signals/${NOBODY}`)
  await token.get('/positions')
  for (const query of ['?status=OPEN', '?sort=exitAt']) await token.get(`/trades${query}`)
}
