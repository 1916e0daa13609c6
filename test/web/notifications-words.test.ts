import assert from 'node:assert/strict'
import { NOT_OF_THE_APP } from '#domain/hook/host-name.ts'
import { bytesOf, deviceStateOf, isMadeWith, type DeviceFacts } from '#web/notifications/state.ts'
import { createHearing } from '#web/notifications/sounds.ts'
import { aboutWords, sentWords, stateOf, type Channel } from '#web/notifications/words.ts'
import { noticeOf, ownAddress, type PushPayload } from '#web/service-worker/notices.ts'
import { wayOf } from '#web/service-worker/ways.ts'

const NOW = Date.parse('2026-03-02T14:40:00.000Z')
const TAG = 'signal-2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e'

const message = (changes: Partial<PushPayload> = {}): string =>
  JSON.stringify({
    kind: 'waiting',
    title: 'A signal needs your approval',
    body: 'Open it to decide.',
    tag: TAG,
    url: '/approvals?signal=2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
    expiresAt: '2026-03-02T14:45:00.000Z',
    ...changes,
  } satisfies PushPayload)

describe('a notification', () => {
  /** The place of an earlier one is taken by its tag. */
  const shownAs = (text: string, at = NOW) => {
    const { title, body, tag, url, staysOpen, isSilent, hasEnded } = noticeOf(text, at)!
    return [title, body, tag, url, { staysOpen, isSilent, hasEnded }]
  }
  const url = '/approvals?signal=2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e'
  const open = 'Open it to decide.'
  const stays = { staysOpen: true, isSilent: false, hasEnded: false }
  const rings = { ...stays, staysOpen: false }
  const over = { staysOpen: false, isSilent: true, hasEnded: true }
  const settled = { kind: 'settled', title: 'No longer needs approval', body: 'It was approved.' } as const
  const late = 'The signal was not decided in time.'
  for (const [name, text, at, shown] of [
    ['a signal that waits stays', message(), NOW, ['A signal needs your approval', open, TAG, url, stays]],
    [
      'an expired signal is silent',
      message(),
      NOW + 300_000,
      ['No longer needs approval', late, TAG, url, over],
    ],
    ['a settled signal is silent', message(settled), NOW, [settled.title, settled.body, TAG, url, over]],
    [
      'an alert rings however late it comes',
      message({ kind: 'alert', title: 'Alert: unprotected position' }),
      NOW + 3_600_000,
      ['Alert: unprotected position', open, TAG, url, rings],
    ],
    [
      'a fill rings and leads to its signal',
      message({ kind: 'filled', title: 'Order filled', url: '/signals/1', expiresAt: null }),
      NOW,
      ['Order filled', open, TAG, '/signals/1', rings],
    ],
  ] as const)
    it(`a notification of ${name}`, () => assert.deepEqual(shownAs(text, at), shown))

  for (const text of [null, '', 'no JSON', 'null', '7', '[]', '{}', '{"title":7,"tag":{},"url":[]}'])
    it(`a notification is shown as news when it came as ${JSON.stringify(text)}, because browsers demand that each is shown`, () => {
      const { title, body, tag, url, hasEnded } = noticeOf(text, NOW)!
      assert.deepEqual(
        [title, body, tag, url, hasEnded],
        ['Durable Trader', 'Something has changed.', 'news', '/approvals', false],
      )
    })

  it('a notification is not shown for a check whether the browser still receives', () => {
    assert.equal(noticeOf(message({ kind: 'check' }), NOW), null)
  })

  it('leads to addresses of the app alone', () => {
    for (const own of ['/', '/alerts', '/signals?status=rejected,error']) assert.equal(ownAddress(own), own)
    for (const other of ['//elsewhere.example/a', 'https://elsewhere.example', 'javascript:x', '', null, 7])
      assert.equal(ownAddress(other), '/approvals', String(other))
  })
})

describe('the service worker', () => {
  const kept = new Set(['/index.html', '/theme.js', '/assets/index-Ab12.js'])

  it('leaves the API and its pages alone', () => {
    for (const path of NOT_OF_THE_APP)
      for (const address of [path, `${path}/more`])
        assert.equal(wayOf(address, true, kept), 'network', address)
    assert.equal(wayOf('/api/v1/signals', false, kept), 'network')
  })

  it('answers with what it kept where a name identifies the content, also files of builds before', () => {
    for (const path of ['/assets/index-Ab12.js', '/assets/old-Zz99.js'])
      assert.equal(wayOf(path, false, kept), 'hashed', path)
    assert.equal(wayOf('/theme.js', false, kept), 'file')
    assert.equal(wayOf('/service-worker.js', false, kept), 'network')
  })

  it('opens the page at every address of the app, the API reference excepted', () => {
    for (const path of ['/', '/approvals', '/symbols/BRK.B', '/eventsful', '/apis'])
      assert.equal(wayOf(path, true, kept), 'page', path)
    assert.equal(wayOf('/approvals', false, kept), 'network')
  })
})

describe('the state of a device', () => {
  const able: DeviceFacts = {
    isSecure: true,
    canReceive: true,
    isAppleMobile: false,
    isInstalled: false,
    permission: 'granted',
    id: 'a',
  }
  const stateOf = (changes: Partial<DeviceFacts>, pushKey: string | null = 'key', known = ['a', 'b']) =>
    deviceStateOf({ ...able, ...changes }, pushKey, known).is

  it('the state of a device is on where the browser allows it, is subscribed, and the service knows it', () => {
    assert.deepEqual(deviceStateOf(able, 'key', ['a']), { is: 'on', id: 'a' })
  })

  it('the state of a device is off before a person was asked, without a subscription, and after it was removed elsewhere', () => {
    assert.equal(stateOf({ permission: 'default', id: null }), 'off')
    assert.equal(stateOf({ id: null }), 'off')
    assert.equal(stateOf({}, 'key', ['b']), 'off')
  })

  it('names the first obstacle', () => {
    assert.equal(stateOf({}, null), 'off-at-service')
    assert.equal(stateOf({ isSecure: false, canReceive: false }), 'insecure')
    assert.equal(stateOf({ isAppleMobile: true, canReceive: false }), 'not-installed')
    assert.equal(stateOf({ isAppleMobile: true, isInstalled: true }), 'on')
    assert.equal(stateOf({ canReceive: false }), 'unsupported')
    assert.equal(stateOf({ permission: 'denied' }), 'blocked')
  })

  it('sees by the bytes whether a subscription was made with the key of the service', () => {
    const key = Buffer.from([4, 251, 255, 190, 62]).toString('base64url')
    assert.match(key, /[-_]/)
    assert.deepEqual([...bytesOf(key)], [4, 251, 255, 190, 62])
    assert.ok(isMadeWith(bytesOf(key).buffer, key))
    assert.ok(!isMadeWith(bytesOf(key).buffer, Buffer.from([4, 251]).toString('base64url')))
    assert.ok(!isMadeWith(null, key))
  })
})

describe('the words of a channel', () => {
  const SINCE = '2026-03-02T14:12:00.000Z'
  const ntfy: Channel = {
    id: 'c1',
    kind: 'ntfy',
    name: 'Phone',
    service: 'https://ntfy.sh',
    urgencies: ['decision', 'alarm'],
    events: [],
    createdAt: SINCE,
    lastDeliveredAt: null,
    failingSince: null,
    refusedSince: null,
    refusal: null,
    pausedAt: null,
    pauseReason: null,
  }
  const stated = (changes: Partial<Channel>) =>
    stateOf({ ...ntfy, ...changes }, NOW).text.replace(/ · [\d:]+ here/, '')

  it('the words of a channel name its worst state first', () => {
    const taken = { lastDeliveredAt: '2026-03-02T14:37:00.000Z' }
    const failing = { ...taken, failingSince: SINCE }
    const refused = { ...failing, refusedSince: SINCE, refusal: 'the ntfy server answered 403' }
    assert.equal(stated({}), 'Nothing sent yet')
    assert.equal(stated(taken), 'Last sent 3 min ago')
    assert.equal(stated(failing), 'Fails since 09:12 New York and is tried again')
    assert.equal(stated(refused), 'Refuses messages since 09:12 New York (the ntfy server answered 403)')
    assert.equal(
      stated({ ...refused, pausedAt: SINCE, pauseReason: 'Telegram answered 403' }),
      'Paused since 09:12 New York (Telegram answered 403)',
    )
    assert.match(stated({ ...refused, kind: 'push' }), /: turn notifications off and on again there$/)
  })

  it('the words of a channel list what it is sent in one order', () => {
    assert.equal(sentWords(ntfy), 'alarms, approvals')
    assert.equal(sentWords({ urgencies: [], events: ['trade', 'fill'] }), 'events: fills, trades')
    assert.equal(sentWords({ urgencies: [], events: [] }), 'is sent nothing')
  })

  it('the words of a channel name a notice, and an event by its type', () => {
    assert.equal(aboutWords({ about: 'waiting' }), 'A signal to approve')
    assert.equal(aboutWords({ about: 'trade.closed' }), 'Event trade.closed')
  })
})

describe('the sounds of the open app', () => {
  const signal = (changes: object = {}) => ({
    name: 'signal',
    data: {
      id: 's1',
      status: 'pending',
      statusReason: null,
      exit: null,
      updatedAt: '2026-03-02T14:39:59.000Z',
      ...changes,
    },
  })
  const order = (changes: object = {}) => ({
    name: 'order',
    data: { id: 'o1', status: 'FILLED', role: 'entry', filledAt: '2026-03-02T14:39:59.000Z', ...changes },
  })
  const alert = (changes: object = {}) => ({
    name: 'alert',
    data: {
      id: 'a1',
      resolvedAt: null,
      acknowledgedAt: null,
      raisedAt: '2026-03-02T14:39:59.000Z',
      ...changes,
    },
  })
  const heard = (...news: { name: string; data: unknown }[]) => {
    const hear = createHearing()
    return news.map((each) => hear(each, NOW))
  }

  it('distinguish the kinds of news, each once', () => {
    assert.deepEqual(
      heard(
        signal(),
        signal(),
        signal({ status: 'executed' }),
        order(),
        order(),
        signal({ status: 'executed', exit: { status: 'filled' } }),
        signal({ id: 's2', status: 'error' }),
        alert(),
      ),
      ['waiting', null, null, 'filled', null, 'closed', 'refused', 'alert'],
    )
  })

  it('sounds of the open app are silent on what a person did, what is old, exits, and what was removed', () => {
    assert.deepEqual(
      heard(
        signal({ status: 'rejected', statusReason: 'DECLINED' }),
        signal({ status: 'cancelled' }),
        signal({ updatedAt: '2026-03-02T14:30:00.000Z' }),
        order({ role: 'exit' }),
        order({ status: 'OPEN', filledAt: null }),
        alert({ acknowledgedAt: '2026-03-02T14:39:59.000Z' }),
        { name: 'signal', data: { id: 's3', isRemoved: true } },
        { name: 'ready', data: {} },
      ),
      [null, null, null, null, null, null, null, null],
    )
  })
})
