import type { Player } from '../player.ts'
import { NOBODY } from './orders.ts'

/** Channels of every kind that is added without a request, what they are sent, and the exports of an account. */
export async function notifications({ person, token, anybody, accountId }: Player): Promise<void> {
  await token.get('/channels')
  await person.get('/channels')
  await person.post('/channels', { kind: 'odd', name: '', settings: [], urgencies: ['odd'], odd: 1 })
  await person.post('/channels', {
    kind: 'push',
    name: 'phone',
    settings: { endpoint: 'odd', keys: { auth: 'y' } },
  })
  await person.post('/channels', {
    kind: 'ntfy',
    name: 'Phone',
    settings: { topic: 'a topic' },
    events: ['order'],
  })
  await person.post('/channels', { kind: 'webhook', name: 'Inside', settings: { url: 'https://127.0.0.1/' } })
  await person.post('/channels', {
    kind: 'telegram',
    name: 'Bot',
    settings: { botToken: '1:x', chatId: 'me' },
  })
  await person.post('/channels', { kind: 'ntfy', name: 'Phone', settings: { topic: 'long-and-random' } })
  const { data } = await person.post('/channels', {
    kind: 'webhook',
    name: 'Journal',
    settings: { url: 'https://journal.example.com/events' },
    events: ['halt'],
  })
  const { id } = data.channel
  const mail = await person.post('/channels', { kind: 'email', name: 'Mail' })
  await person.post(`/channels/${mail.data.channel.id}/test`)
  await person.patch(`/channels/${id}`, { name: 'Diary', urgencies: ['alarm'], events: ['trade', 'fill'] })
  await person.patch(`/channels/${mail.data.channel.id}`, { events: ['fill'] })
  await person.patch(`/channels/${NOBODY}`, { name: '' })
  await person.post(`/channels/${id}/rotate`)
  await person.post(`/channels/${mail.data.channel.id}/rotate`)
  await person.post(`/channels/${id}/resume`)
  await person.post(`/channels/${id}/send-again`, {})
  await person.post(`/channels/${id}/send-again`, { eventId: `evt_${NOBODY}` })
  await person.post(`/channels/${id}/send-again`, { since: '2026-03-02T12:00:00Z' })
  for (const act of ['test', 'resume', 'rotate']) await person.post(`/channels/${NOBODY}/${act}`)
  await person.get('/deliveries?limit=0&channelId=odd')
  await person.get(`/deliveries?channelId=${id}`)
  await anybody.post(`/telegram/${NOBODY}`, { update_id: 1 })
  await person.delete(`/channels/${id}`)
  await person.delete(`/channels/${NOBODY}`)
  await person.get('/settings/notifications')
  const choices = { waitingSignals: true, alerts: true, refused: false, filled: true, closed: false }
  await person.put('/settings/notifications', {
    ...choices,
    quietHours: { from: '25:00', until: '7', zone: 'CET' },
  })
  await person.put('/settings/notifications', {
    ...choices,
    daySummary: true,
    showFigures: false,
    quietHours: { from: '22:00', until: '07:00', zone: 'Europe/Berlin' },
  })
  for (const records of ['signals', 'orders', 'fills', 'trades', 'balances'])
    await token.get(`/exports/${records}?accountId=${NOBODY}`)
  await token.get(`/exports/fills?format=jsonl&accountId=${accountId}`)
  await token.get('/exports/fills?format=odd&from=odd&odd=1')
}
