import type { Player } from '../player.ts'
import { AT_60, buying, NOBODY } from './orders.ts'
import { signalTo } from './signals.ts'

/** Tokens with few scopes and with bounds, what they may do and what they are refused. */
export async function tokens(player: Player): Promise<void> {
  const { token, person, anybody, accountId } = player
  await player.pin('ZTTOKEN', 100)
  await person.get('/tokens')
  await token.get('/tokens')
  await person.post('/tokens', {})
  await person.post('/tokens', {
    label: '',
    scopes: ['odd', 'odd'],
    expiresAt: '2020-01-01T00:00:00Z',
    bounds: { odd: 1 },
  })
  const mint = async (label: string, scopes: string[], bounds?: object) => {
    const { data } = await person.post('/tokens', { label, scopes, bounds })
    return { id: data.id as string, ...player.as(label, data.token) }
  }
  const reader = await mint('reader', ['trading:read'])
  await reader.get('/orders')
  await reader.get('/accounts')
  await reader.post('/orders', buying(player, 'ZTTOKEN'))
  await reader.post('/signals', signalTo(player, 'ZTTOKEN'))
  await reader.post('/positions/flatten')
  await reader.delete(`/orders/${NOBODY}`)

  const few = await mint('bounded', ['trading:read', 'signals:write', 'orders:write'], {
    symbols: ['ZTTOKEN'],
    maxOrderValue: 500,
    ownSignalsOnly: true,
  })
  await few.post('/orders', buying(player, 'ZTOTHER', { quantity: 1 }))
  await few.post('/orders', buying(player, 'ZTTOKEN'))
  await few.post('/orders', buying(player, 'ZTTOKEN', { quantity: 6, dryRun: true }))
  const { order: allowed } = await few.post('/orders', buying(player, 'ZTTOKEN', { quantity: 5 }))
  await few.post('/signals', signalTo(player, 'ZTOTHER', { quantity: 1 }))
  await few.post('/signals', signalTo(player, 'ZTTOKEN'))
  const { signal } = await token.post('/signals', signalTo(player, 'ZTTOKEN', { executeMode: 'pending' }))
  await few.delete(`/signals/${signal.id}`)
  await few.get(`/orders/${allowed?.id ?? NOBODY}`)
  const { order: resting } = await token.post('/orders', buying(player, 'ZTTOKEN', AT_60))
  await player.order(resting.id, 'OPEN')
  await few.delete(`/orders/${resting.id}`)
  await few.post('/orders/cancel-all')
  await few.post(`/positions/${accountId}/ZTTOKEN/close`, { quantity: 1 })

  const waiting = await mint('pending only', ['signals:write', 'orders:write'], { pendingOnly: true })
  await waiting.post('/orders', buying(player, 'ZTTOKEN'))
  await waiting.post('/signals', signalTo(player, 'ZTTOKEN', { quantity: 2 }))
  await waiting.post('/positions/flatten')
  await waiting.post(`/positions/${accountId}/ZTTOKEN/close`)
  const elsewhere = await mint('elsewhere', ['signals:write', 'orders:write'], {
    accountIds: [NOBODY],
  }).catch(() => null)
  await elsewhere?.post('/orders', buying(player, 'ZTTOKEN'))

  await person.get('/tokens')
  await person.patch(`/tokens/${few.id}`, { label: 'bounded anew', bounds: { symbols: ['ZTOTHER'] } })
  await person.patch(`/tokens/${NOBODY}`, { label: 'x' })
  await person.delete(`/tokens/${reader.id}`)
  await reader.get('/orders')
  await person.delete(`/tokens/${NOBODY}`)
  for (const credential of ['', 'odd', 'dtt_odd', 'eyJhbGciOiJIUzI1NiJ9.e30.odd'])
    await anybody.get('/orders', { authorization: `Bearer ${credential}` })
  await anybody.get('/orders', { authorization: 'Basic b2RkOm9kZA==' })
  await anybody.get('/orders?apiKey=odd')
  await anybody.get('/orders', { 'x-api-key': 'odd' })
  await token.get('/signals')
}
