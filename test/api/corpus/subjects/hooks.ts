import type { Player } from '../player.ts'
import { NOBODY } from './orders.ts'

/** A message of each kind of sender that buys, the second time as a repetition, and one that is not understood. */
const DIALECTS: readonly { kind: string; settings?: object; messages: readonly unknown[] }[] = [
  {
    kind: 'json',
    messages: [
      { symbol: 'ZTHOOKA', action: 'openLong', quantity: 2, sourceId: 'a' },
      { symbol: 'ZTHOOKA', action: 'openLong', quantity: 2, sourceId: 'a' },
      { symbol: 'ZTHOOKA', action: 'hold', quantity: -1 },
    ],
  },
  {
    kind: 'tradingview',
    messages: [
      { ticker: 'ZTHOOKB', action: 'buy', quantity: '3', time: '2026-03-02T15:00:00Z' },
      { ticker: 'ZTHOOKB', action: 'buy', market_position: 'long', market_position_size: '5' },
      { ticker: '{{ticker}}', action: '{{strategy.order.action}}' },
      'buy ZTHOOKB',
    ],
  },
  {
    kind: 'traderspost',
    messages: [
      { ticker: 'ZTHOOKC', action: 'buy', quantity: 1 },
      { ticker: 'ZTHOOKC', action: 'exit' },
    ],
  },
  { kind: 'trade-relay', messages: [{ symbol: 'ZTHOOKD', action: 'buy', quantity: 1 }] },
  { kind: 'signalstack', messages: [{ symbol: 'ZTHOOKE', action: 'buy', quantity: 1 }] },
  { kind: 'openalgo', messages: [{ strategy: 'x', symbol: 'ZTHOOKF', action: 'BUY', quantity: 1 }] },
  {
    kind: 'template',
    settings: { template: { symbol: 'what', words: { go: 'buy' }, action: 'do', quantity: 'size' } },
    messages: [
      { what: 'ZTHOOKG', do: 'go', size: 1 },
      { what: 'ZTHOOKG', do: 'stay' },
    ],
  },
]

/** Hooks: made, called in every dialect, looked into, tried, switched and removed. */
export async function hooks(player: Player): Promise<void> {
  const { token, person, anybody, accountId } = player
  await person.get('/hooks')
  await person.get('/hooks/address')
  await person.post('/hooks', {})
  await person.post('/hooks', { name: '', kind: 'odd', accountIds: [NOBODY, 'x'], quantity: -1, odd: 1 })
  await token.post('/hooks', { name: 'By a token', kind: 'json', accountIds: [accountId] })
  let json = ''
  for (const { kind, settings, messages } of DIALECTS) {
    for (const letter of 'ABCDEFG') await player.pin(`ZTHOOK${letter}`, 100)
    const made = await person.post('/hooks', {
      name: `Of ${kind}`,
      kind,
      accountIds: [accountId],
      ...settings,
    })
    if (made.data === undefined) continue
    const { pathname } = new URL(made.data.url)
    player.hide(pathname.split('/').at(-1)!, `secret of ${kind}`)
    for (const message of messages) await anybody.post(`/${pathname}`, message)
    if (kind === 'json') json = pathname
    await person.get(`/hooks/${made.data.hook.id}/requests`)
    await person.post(`/hooks/${made.data.hook.id}/test`)
  }
  await player.settled()
  await token.get('/signals')
  await token.get('/signal-groups?accounts=all')
  await token.get('/positions')

  const id = json.split('/')[2]!
  await anybody.post(`//hooks/${id}/wrong`, {})
  await anybody.post(`//hooks/${id}`, {})
  await anybody.post(`//hooks/${NOBODY}/wrong`, {})
  await person.get(`/hooks/${id}`)
  const { data: inbox } = await person.get(`/hooks/${id}/requests?limit=1`)
  await person.get(`/hooks/${id}/requests/${inbox.requests[0].id}`)
  await person.get(`/hooks/${id}/requests/${NOBODY}`)
  await person.post(`/hooks/${id}/try`, { body: '{"symbol":"ZTHOOKA","action":"closeLong","quantity":1}' })
  await person.post(`/hooks/${id}/try`, { body: 'odd' })
  await person.post(`/hooks/${id}/requests/${inbox.requests[0].id}/again`)
  const corrected = { body: '{"symbol":"ZTHOOKA","action":"openLong","quantity":1}' }
  await person.post(`/hooks/${id}/requests/${inbox.requests[0].id}/again`, corrected)
  await person.patch(`/hooks/${id}`, { quantity: 4, executeMode: 'pending', requestsPerMinute: 0 })
  await person.patch(`/hooks/${id}`, { quantity: 4, executeMode: 'pending' })
  await anybody.post(`/${json}`, { symbol: 'ZTHOOKA', action: 'openLong', sourceId: 'waits' })
  await person.put(`/hooks/${id}/live`, { live: 'odd' })
  await person.put(`/hooks/${id}/live`, { live: true })
  const { data: rotated } = await person.post(`/hooks/${id}/secrets`, { endsOthersAfter: 0 })
  if (rotated?.url) player.hide(new URL(rotated.url).pathname.split('/').at(-1)!, 'second secret')
  await anybody.post(`/${json}`, { symbol: 'ZTHOOKA', action: 'openLong', sourceId: 'late' })
  await person.delete(`/hooks/${id}/secrets/${NOBODY}`)
  const { data: signing } = await person.post(`/hooks/${id}/signing-key`)
  for (const value of Object.values(signing ?? {}))
    if (typeof value === 'string') player.hide(value, 'signing key')
  await person.delete(`/hooks/${id}/signing-key`)
  await person.delete(`/hooks/${id}?signals=odd`)
  await person.delete(`/hooks/${id}`)
  await person.get(`/hooks/${id}`)
  await person.get('/hooks')
}
