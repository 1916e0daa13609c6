import type { Player } from '../player.ts'
import { NOBODY } from './orders.ts'

/** Brokers, their accounts, and strategies. */
export async function accounts(player: Player): Promise<void> {
  const { token, person, accountId } = player
  await token.get('/accounts')
  await token.get('/accounts?include=removed&odd=1')
  await token.get(`/accounts/${accountId}`)
  await token.get(`/accounts/${accountId}/summary`)
  for (const part of ['', '/summary']) await token.get(`/accounts/${NOBODY}${part}`)
  for (const path of ['/accounts/sync', `/accounts/${accountId}/sync`, `/accounts/${NOBODY}/sync`])
    await token.post(path)
  await token.patch(`/accounts/${accountId}`, { flatByClose: null })
  await person.patch(`/accounts/${accountId}`, { flatByClose: { minutes: -1 }, odd: 1 })
  await person.patch(`/accounts/${accountId}`, { flatByClose: { minutes: 10, includeManual: true } })
  await person.patch(`/accounts/${accountId}`, { flatByClose: null })
  await token.get('/brokers/types')
  const { data: listed } = await token.get('/brokers')
  const id: string = listed.brokers[0].id
  await token.get(`/brokers/${id}`)
  await token.get(`/brokers/${NOBODY}`)
  await token.post(`/accounts/sync/${id}`)
  await token.post(`/brokers/${id}/test`)
  await token.patch(`/brokers/${id}`, { name: 'Another name' })
  await token.patch(`/brokers/${id}`, { name: '', odd: 1 })
  await token.post('/brokers', { brokerType: 'odd' })
  await token.post('/brokers', { brokerType: 'alpaca', credentials: { keyId: 'x' } })
  await token.post('/brokers', { brokerType: 'paper', credentials: { keyId: 'odd', secretKey: 'odd' } })
  const { data: paper } = await person.post('/brokers/paper-account')
  await person.post('/brokers/paper-account')
  const other: string = paper.broker.accounts[0].id
  await token.get(`/accounts/${other}`)
  await token.put(`/accounts/${other}/primary`)
  await token.put(`/accounts/${NOBODY}/primary`)
  await token.get('/accounts')
  await token.delete(`/brokers/${paper.broker.id}`)
  await token.delete(`/brokers/${paper.broker.id}`)
  await token.get('/accounts?include=removed')

  await token.get('/strategies')
  await token.post('/strategies', { name: 'By a token' })
  await person.post('/strategies', { name: '', status: 'odd', defaultAccountId: NOBODY, odd: 1 })
  const strategy = await person.post('/strategies', { name: 'Opening range', metadata: { setup: 1 } })
  const strategyId: string = (strategy.data?.strategy ?? strategy.data ?? strategy).id
  await person.post('/strategies', { name: 'Opening range' })
  await token.get(`/strategies/${strategyId}`)
  await person.patch(`/strategies/${strategyId}`, { status: 'paused' })
  const order = { symbol: 'ZTPAUSED', action: 'openLong', accountId, quantity: 1, executeMode: 'immediate' }
  await token.post('/signals', { ...order, strategyId })
  await token.get('/strategies?status=paused')
  await person.delete(`/strategies/${strategyId}`)
  await person.delete(`/strategies/${strategyId}`)
  await token.get('/strategies?archived=true')
  await token.get(`/strategies/${NOBODY}`)
}
