import assert from 'node:assert/strict'
import { deviceName, eventDetails, eventWords } from '#web/security/words.ts'
import { qrPath } from '#web/security/qr.ts'

describe('the words of the security page', () => {
  it('name a browser and its system, and leave the name of a device as it is', () => {
    for (const [agent, words] of [
      ['Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0', 'Firefox on Linux'],
      [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
        'Safari on iOS',
      ],
      [
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0',
        'Edge on Windows',
      ],
      [
        'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36',
        'Chrome on Android',
      ],
      ['Terminal of ada', 'Terminal of ada'],
      ['', 'A browser without a name'],
    ])
      assert.equal(deviceName(agent!), words)
  })

  it('name an event of the log, and an event that they do not know by its own name', () => {
    assert.equal(eventWords({ kind: 'second_factor.enabled' }), 'Two-step sign-in turned on')
    assert.equal(eventWords({ kind: 'something.new' }), 'something.new')
    assert.equal(
      eventDetails({
        data: { sessionId: 'x', endedSessions: 2, level: 'fullStop', change: { plan: 'PRO' } },
      }),
      'ended sessions: 2 · level: full stop',
    )
    assert.equal(
      eventDetails({ data: { accountId: 'x', set: { maxOrderShares: '5000', allowedSymbols: ['KO'] } } }),
      'Largest order, shares: 5,000 shares · Symbols that may be opened: KO',
    )
    assert.equal(eventDetails({ data: { secondFactor: true } }), 'two-step sign-in: yes')
    assert.equal(eventDetails({ data: { isPaper: false } }), 'is paper: no')
  })
})

describe('the picture of a QR code', () => {
  it('the picture of a QR code has the three squares that readers look for, and a border of four', () => {
    const { path, size } = qrPath('otpauth://totp/Durable%20Trader:ada%40example.com?secret=JBSWY3DPEHPK3PXP')
    for (const [x, y] of [
      [4, 4],
      [size - 5, 4],
      [4, size - 5],
    ])
      assert.ok(path.includes(`M${x} ${y}h1v1h-1z`))
    assert.ok(!path.includes('M3 ') && !/M\d+ 3h/.test(path))
  })
})
