import { NOT_BY_THE_CLOCK, type Player } from '../player.ts'
import { NOBODY } from './orders.ts'
import { signalTo } from './signals.ts'

/** Signals that wait for a person: approved, changed, declined, withdrawn, refused, one by one and several at once. */
export async function approvals(player: Player): Promise<void> {
  const { token, person, accountId } = player
  await player.pin('ZTWAIT', 100)
  const wait = async (changes: object = {}): Promise<string> =>
    (await token.post('/signals', signalTo(player, 'ZTWAIT', { executeMode: 'pending', ...changes }))).signal
      .id
  const first = await wait()
  await token.get(`/signals/${first}`)
  await person.get(`/signals/${first}/check`)
  await person.get(`/signals/${first}/check?quantity=5`)
  await person.get(`/signals/${first}/check?limitPrice=5&quantity=none`)
  await token.post(`/signals/${first}/process`)
  await person.post(`/signals/${first}/process`, { quantity: 0, odd: 1 })
  await person.post(`/signals/${first}/process`, { limitPrice: 90 })
  await person.post(`/signals/${first}/process`, { quantity: 4 })
  await player.signal(first, { status: 'executed', filledQuantity: 4 })
  await person.get(`/signals/${first}`)
  await person.get(`/signals/${first}/events`)
  await person.post(`/signals/${first}/process`)
  await person.post(`/signals/${first}/reject`)
  const declined = await wait()
  await token.post(`/signals/${declined}/reject`)
  await person.post(`/signals/${declined}/reject`, { reason: 'not before the figures' })
  await person.get(`/signals/${declined}`)
  await token.delete(`/signals/${await wait()}`)

  const halted = await wait({ quantity: 3 })
  await person.put('/settings/halt', { level: 'pauseEntries', reason: 'lunch' })
  await person.post(`/signals/${halted}/process`)
  await token.post('/signals', signalTo(player, 'ZTWAIT', { quantity: 2 }))
  await person.delete('/settings/halt')
  const several = [
    halted,
    await wait({ quantity: 2, orderType: 'limit', limitPrice: 60, timeInForce: 'gtc' }),
    NOBODY,
  ]
  await person.post('/signals/process', { ids: [] })
  await person.post('/signals/process', { ids: several })
  await player.signal(halted, { status: 'executed', filledQuantity: 3 })
  await person.post('/signals/process', { ids: several })
  await person.post('/signals/reject', { ids: [await wait(), NOBODY], reason: 'closed early' })

  await person.put(`/settings/risk/${accountId}`, { ...NOT_BY_THE_CLOCK, approvalAboveValue: 500 })
  const { signal: dear } = await token.post('/signals', signalTo(player, 'ZTWAIT'))
  await person.get(`/signals/${dear.id}`)
  await token.get('/dashboard/summary')
  await token.get('/agenda')
  await token.get('/signals?status=pending')
  await person.post(`/signals/${dear.id}/process`, {})
  await player.signal(dear.id)
  await person.get('/signals')
  await person.get('/positions')
  await person.post(`/signals/${NOBODY}/process`)
  await person.post(`/signals/${NOBODY}/reject`)
  await person.get('/audit-log?limit=20')
}
