import type { Player } from '../player.ts'
import { NOBODY } from './orders.ts'

/** Assets, the market, alerts, notifications, what the service says of itself, and requests that lead nowhere. */
export async function service(player: Player): Promise<void> {
  const { token, person, anybody, accountId } = player
  for (const path of [
    '//',
    '//healthz',
    '//readyz',
    '//mailbox',
    '//docs',
    '//docs/odd.js',
    '/app',
    '/odd',
    '//odd',
  ])
    await anybody.get(path)
  await token.get('/app')
  await anybody.delete('//healthz')
  await player.pin('ZTSERVE', 100)
  for (const query of ['?search=apple', '?search=AAPL&limit=1', '?search=', ''])
    await token.get(`/assets${query}`)
  for (const symbol of ['AAPL', 'ZTSERVE', 'NOSUCHSYM', 'not%20one', `AAPL?accountId=${NOBODY}`])
    await token.get(`/assets/${symbol}`)
  for (const query of [
    '?symbols=ZTSERVE',
    '?symbols=ZTSERVE,NOSUCHSYM',
    '?symbols=',
    '?symbols=ZTSERVE&odd=1',
  ])
    await token.get(`/market/quotes${query}`)
  await token.get(`/market/sessions?accountId=${NOBODY}`)
  await token.get('/market/bars?symbol=ZTSERVE&timeframe=odd&from=yesterday')
  await token.get(
    '/market/bars?symbol=ZTSERVE&timeframe=1Day&from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z',
  )
  for (const query of [
    '',
    '?state=all',
    '?state=odd',
    '?kind=not_flat',
    '?kind=odd&limit=0',
    `?accountId=${accountId}`,
  ])
    await token.get(`/alerts${query}`)
  await person.post('/alerts/1/acknowledge')
  await person.post(`/alerts/${NOBODY}/acknowledge`)
  await person.post(`/alerts/${NOBODY}/accept-position`)
  for (const query of ['', '?symbol=ZTSERVE', `?accountId=${NOBODY}`, '?odd=1'])
    await token.get(`/agenda${query}`)

  await token.get('/events?topics=odd&symbols=')
  await token.post('/events/ticket')
  await anybody.get('/events?ticket=odd')
  await token.get('/desktop/sync/snapshot')
  await token.get('/desktop/sync/changes?since=odd')
  for (const path of ['/admin/users', '/admin/audit-log', `/admin/users/${NOBODY}`]) await person.get(path)
  await token.put('/admin/halt', { level: 'fullStop' })
  await person.put('/admin/halt', { level: 'fullStop' })
}
