import { NOT_BY_THE_CLOCK, type Player } from '../player.ts'
import { NOBODY } from './orders.ts'
import { signalTo } from './signals.ts'

/** Groups of signals for two accounts of one person. */
export async function groups(player: Player): Promise<void> {
  const { token, person, accountId } = player
  // They are accepted at once, so that their ids decide which comes first.
  player.sorted = { lists: ['signals', 'results'], by: 'quantity' }
  await player.pin('ZTGROUP', 100)
  const { data } = await person.post('/brokers/paper-account')
  const other: string = data.broker.accounts[0].id
  await person.put(`/settings/risk/${other}`, NOT_BY_THE_CLOCK)
  await token.get('/accounts')
  const both = [accountId, { accountId: other, multiplier: 2 }]
  const send = (changes: object = {}) =>
    token.post(
      '/signals',
      signalTo(player, 'ZTGROUP', { accountId: undefined, accountIds: both, ...changes }),
    )
  await send({ accountIds: [accountId] })
  await send({ accountIds: [accountId, accountId], accountId })
  await send({ replaceExisting: true })
  await send({ dryRun: true })
  const first = await send({ sourceId: 'group' })
  await player.until('/signals?status=executed', { 'data.total': 2 })
  await player.until('/positions', { 'summary.positionCount': 2 })
  await send({ sourceId: 'group' })
  await token.get('/signal-groups')
  await token.get(`/signal-groups/${first.groupId}`)
  await token.get(`/signals?groupId=${first.groupId}`)
  const waiting = await send({
    executeMode: 'pending',
    exitTriggerType: 'minutesAfterEntry',
    exitTriggerMinutes: 60,
  })
  await person.post(`/signal-groups/${waiting.groupId}/process`)
  await player.until('/signals?exitStatus=scheduled', { 'data.total': 2 })
  await token.get(`/signal-groups/${waiting.groupId}`)
  await person.post(`/signal-groups/${waiting.groupId}/reject`, { reason: 'too late' })
  await token.delete(`/signal-groups/${waiting.groupId}/exit`)
  await token.delete(`/signal-groups/${waiting.groupId}`)
  const declined = await send({ executeMode: 'pending' })
  await person.post(`/signal-groups/${declined.groupId}/reject`, { reason: 'not today' })
  const resting = await send({ orderType: 'limit', limitPrice: 60, timeInForce: 'gtc' })
  await token.delete(`/signal-groups/${resting.groupId}`)
  await player.until('/orders?status=CANCELLED', { total: 2 })
  await token.get(`/signal-groups/${resting.groupId}`)
  for (const query of ['?accounts=all&limit=2', '?symbol=ZTGROUP', '?limit=0'])
    await token.get(`/signal-groups${query}`)
  await token.get(`/signal-groups/${NOBODY}`)
  await person.post(`/signal-groups/${NOBODY}/process`)
  await token.delete(`/signal-groups/${NOBODY}`)
  for (const account of [accountId, other]) {
    const { flatten } = await token.post('/positions/flatten', { accountId: account })
    await player.until(`/positions/flatten/${flatten.id}`, { 'flatten.status': 'done' })
    await token.get(`/positions/flatten/${flatten.id}`)
  }
  await player.until('/trades?status=OPEN', { 'data.total': 0 })
  await token.get('/orders?source=manual')
  for (const { id } of first.signals) await token.get(`/trades?signalId=${id}`)
}
