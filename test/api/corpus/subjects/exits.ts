import type { Player } from '../player.ts'
import { NOBODY } from './orders.ts'
import { signalTo } from './signals.ts'

/** Exits and exit plans: sent, resting, waiting, changed, cancelled, and positions that they protect. */
export async function exits(player: Player): Promise<void> {
  const { token, person } = player
  const send = async (symbol: string, changes: object): Promise<string> => {
    await player.pin(symbol, 100)
    return (await token.post('/signals', signalTo(player, symbol, changes))).signal.id
  }
  const left = await send('ZTEXITA', { exitTriggerType: 'immediate' })
  await player.signal(left, { 'closed.reason': 'TIME' })
  await token.get(`/signals/${left}`)
  await token.get(`/signals/${left}/events`)
  const rests = await send('ZTEXITB', {
    exitTriggerType: 'immediate',
    exitOrderType: 'stop',
    exitStopPrice: 60,
  })
  await player.signal(rests, { 'exit.status': 'submitted' })
  await token.get(`/signals/${rests}`)
  const waits = await send('ZTEXITC', { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 })
  await player.signal(waits, { 'exit.status': 'scheduled' })
  await token.get(`/signals/${waits}`)
  await token.get('/agenda')
  await token.get('/positions')
  await token.delete(`/signals/${rests}/exit`)
  await token.delete(`/signals/${waits}/exit`)
  await player.signal(waits, { 'exit.status': 'cancelled' })
  await token.delete(`/signals/${waits}/exit`)
  await token.get(`/signals/${waits}`)
  await token.delete(`/signals/${NOBODY}/exit`)
  await person.post(`/signals/${rests}/exit/size`, { quantity: 3 })
  await person.post(`/signals/${NOBODY}/exit/size`, { quantity: 3 })

  await player.pin('ZTEXITD', 100)
  const plan = { stop: { price: 90 }, target: { price: 120 } }
  await token.post('/signals', signalTo(player, 'ZTEXITD', { protection: plan, dryRun: true }))
  const planned = await send('ZTEXITD', { protection: plan })
  await player.signal(planned, { status: 'executed', filledQuantity: 10 })
  await player.until('/orders?symbol=ZTEXITD&status=OPEN', { total: 1 })
  await token.get(`/signals/${planned}`)
  await token.get('/orders?symbol=ZTEXITD')
  const change = (body: object) => token.patch(`/signals/${planned}/protection`, body)
  await change({})
  await change({ stop: { price: 130 } })
  await change({ stop: { price: 90, percent: 4 }, odd: 1 })
  await change({ stop: { price: 95 } })
  await player.signal(planned, { 'plan.atBroker.stopPrice': 95 })
  await token.get(`/signals/${planned}`)
  await token.delete(`/signals/${planned}/exit`)
  // Not recorded: whether its answer shows the exit at the broker or its end is chance.
  await player.stack.api.patch(`/signals/${planned}/protection`, { stop: null, target: null })
  await player.signal(planned, { 'exit.status': 'cancelled' })
  await token.get(`/signals/${planned}`)
  await token.get(`/signals/${planned}/events`)
  await token.patch(`/signals/${NOBODY}/protection`, { stop: null })

  const stopped = await send('ZTEXITE', { protection: { stop: { amount: 5 } } })
  await player.until('/orders?symbol=ZTEXITE&status=OPEN', { total: 1 })
  await player.until('/positions?symbol=ZTEXITE', { 'positions.0.protection.unprotected': 0 })
  await token.get('/positions?symbol=ZTEXITE')
  await player.pin('ZTEXITE', 94)
  await player.until('/orders?symbol=ZTEXITE&status=FILLED', { total: 2 })
  await token.get(`/signals/${stopped}`)
  await token.get(`/orders?signalId=${stopped}`)
  await token.get(`/trades?signalId=${stopped}`)
  await token.get('/signals?exitStatus=cancelled')
  await token.post('/orders/cancel-all', { keepExits: true })
  await token.post('/orders/cancel-all', {})
  await player.until('/orders?status=OPEN', { total: 0 })
  await token.get(`/signals/${rests}`)
  await token.get('/alerts')
  await token.get('/alerts?state=all')
  await token.get('/signals?status=executed')
  await token.get('/positions')
}
