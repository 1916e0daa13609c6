import type { Player } from '../player.ts'
import { AT_60, buying } from './orders.ts'

/** Orders for real money, with a proof of the person, without one, and in the other mode. */
export async function liveOrders(player: Player): Promise<void> {
  const { token, person, stack, accountId } = player
  for (const symbol of ['ZTLIVE', 'ZTNOTLIVE']) await player.pin(symbol, 100)
  await token.post('/orders', buying(player, 'ZTLIVE'))
  const sessions = `sessions set verified_at = now() - interval '10 minutes'`
  await stack.query(
    `update ${sessions} where user_id = (select user_id from accounts where id = '${accountId}')`,
  )
  await person.post('/orders', buying(player, 'ZTLIVE', { quantity: 2 }))
  await stack.query(`update accounts set is_demo = false where id = '${accountId}'`)
  for (const sender of [token, person]) await sender.post('/orders', buying(player, 'ZTLIVE'))
  await person.post('/accounts/mode', { mode: 'LIVE' })
  await person.post('/accounts/mode', { mode: 'ODD' })
  await token.post('/accounts/mode', { mode: 'LIVE' })
  await person.post('/accounts/mode', { mode: 'LIVE', password: 'wrong' })
  await person.post('/accounts/mode', { mode: 'LIVE', password: stack.person.password })
  const age = `update ${sessions} where user_id = (select user_id from accounts where id = '${accountId}')`
  await stack.query(age)
  await person.post('/orders', buying(player, 'ZTLIVE', { quantity: 3 }))
  await person.post('/orders', buying(player, 'ZTNOTLIVE', { ...AT_60, dryRun: true }))
  await person.post('/orders', buying(player, 'ZTLIVE', { side: 'SELL', quantity: 1 }))
  await person.post('/positions/' + accountId + '/ZTLIVE/close', { quantity: 2 })
  await person.post('/auth/verify', { password: 'wrong' })
  await person.post('/auth/verify', { password: stack.person.password })
  await person.post('/orders', buying(player, 'ZTLIVE', { quantity: 4 }))
  await token.post('/orders', buying(player, 'ZTLIVE', { quantity: 5 }))
  await token.get('/orders')
  await token.get('/dashboard/summary')
  await person.post('/accounts/mode', { mode: 'PAPER' })
  await token.get('/dashboard/summary')
}
