import assert from 'node:assert/strict'
import { NOT_OF_THE_APP } from '#domain/app-addresses.ts'
import {
  bytesOf,
  deviceStateOf,
  isAppleMobile,
  isMadeWith,
  type DeviceFacts,
  testWords,
} from '#web/notifications/state.ts'
import { createHearing, readSounds } from '#web/notifications/sounds.ts'
import { newYorkDayHere } from '#web/today/new-york-day.ts'
import { noticeOf, ownAddress, type PushPayload } from '#web/service-worker/notices.ts'
import { wayOf } from '#web/service-worker/ways.ts'

const NOW = Date.parse('2026-03-02T14:40:00.000Z')
const TAG = 'signal-2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e'

const message = (changes: Partial<PushPayload> = {}): string =>
  JSON.stringify({
    kind: 'waiting',
    title: 'A signal waits for you',
    body: 'Open it to decide.',
    tag: TAG,
    url: '/approvals?signal=2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
    expiresAt: '2026-03-02T14:45:00.000Z',
    ...changes,
  } satisfies PushPayload)

describe('a notification', () => {
  it('a notification of a signal that waits stays until it is pressed, and leads to its card', () => {
    assert.deepEqual(noticeOf(message(), NOW), {
      title: 'A signal waits for you',
      body: 'Open it to decide.',
      tag: TAG,
      url: '/approvals?signal=2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
      staysOpen: true,
      isSilent: false,
      isOver: false,
    })
  })

  it('a notification that comes after the signal has expired says so without a sound, in the place of the earlier one', () => {
    const late = noticeOf(message(), Date.parse('2026-03-02T14:45:00.000Z'))
    assert.deepEqual(
      [late.title, late.body, late.tag, late.isSilent, late.isOver, late.staysOpen],
      ['No longer waits', 'The signal was not decided in time.', TAG, true, true, false],
    )
  })

  it('a notification that a signal was settled takes the place of the one that it waits, in the words of the service', () => {
    const settled = noticeOf(
      message({ kind: 'settled', title: 'No longer waits', body: 'It was approved.' }),
      NOW,
    )
    assert.deepEqual([settled.title, settled.body], ['No longer waits', 'It was approved.'])
    assert.deepEqual([settled.tag, settled.isSilent, settled.isOver], [TAG, true, true])
  })

  it('a notification of an alert is shown however late it comes, because its cause may still be there', () => {
    const alert = noticeOf(message({ kind: 'alert', title: 'Alert: unprotected position' }), NOW + 3_600_000)
    assert.deepEqual(
      [alert.title, alert.isSilent, alert.isOver, alert.staysOpen],
      ['Alert: unprotected position', false, false, false],
    )
  })

  it('a notification of a fill rings, does not stay, and leads to its signal', () => {
    const fill = noticeOf(
      message({ kind: 'filled', title: 'Order filled', url: '/signals/1', expiresAt: null }),
      NOW,
    )
    assert.deepEqual(
      [fill.title, fill.url, fill.staysOpen, fill.isSilent, fill.isOver],
      ['Order filled', '/signals/1', false, false, false],
    )
  })

  for (const text of [null, '', 'no JSON', 'null', '7', '[]', '{}', '{"title":7,"tag":{},"url":[]}'])
    it(`a notification is shown as news when it came as ${JSON.stringify(text)}, because browsers demand that each is shown`, () => {
      const { title, body, tag, url, isOver } = noticeOf(text, NOW)
      assert.deepEqual(
        [title, body, tag, url, isOver],
        ['Durable Trader', 'There is news.', 'news', '/approvals', false],
      )
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

  it('answers with what it kept where a name tells the content, also files of builds before', () => {
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

  it('tells an iPad, which calls itself a Mac, by its touch screen', () => {
    const mac =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15'
    assert.equal(isAppleMobile(mac, 0), false)
    assert.equal(isAppleMobile(mac, 5), true)
    assert.equal(isAppleMobile('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)', 5), true)
    assert.equal(isAppleMobile('Mozilla/5.0 (Linux; Android 15)', 5), false)
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

describe('the words of a test of notifications', () => {
  it('tell what was sent, and what to do where it was not', () => {
    assert.match(testWords({ sent: 1, failed: 0 }), /^1 message sent\./)
    assert.match(testWords({ sent: 2, failed: 1 }), /^2 messages sent, 1 could not be\. Turn/)
    assert.match(testWords({ sent: 0, failed: 1 }), /^No message could be sent\. Turn/)
    assert.match(testWords({ sent: 0, failed: 0 }), /^Nothing was sent/)
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

  it('tell the kinds of news apart, each once', () => {
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

  it('sounds of the open app are those that were chosen in the browser, whatever else is stored there', () => {
    assert.deepEqual(readSounds('filled nonsense waiting'), ['waiting', 'filled'])
    assert.deepEqual(readSounds(null), [])
  })
})

describe('the day of the signals on Today', () => {
  it('the day of the signals on Today is the date here at which the day of New York began', () => {
    assert.match(newYorkDayHere(NOW), /^2026-03-0[12]$/)
    const began = new Date('2026-03-02T05:00:00.000Z')
    for (const at of ['2026-03-02T05:00:30.000Z', '2026-03-03T04:59:00.000Z'])
      assert.equal(newYorkDayHere(Date.parse(at)), newYorkDayHere(began.getTime()), at)
  })
})
