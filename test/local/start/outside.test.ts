import assert from 'node:assert/strict'
import { settingsOfOptions, summariseOutside } from '#local/start/outside.ts'

const HERE = 'http://127.0.0.1:3000'

/** The faults of an address, without the line before them. */
function faultsOf(address: string, option = 'public-url'): string[] {
  try {
    settingsOfOptions([`--${option}`, address], {})
    return []
  } catch (error) {
    return (error as Error).message.split('\n').slice(1)
  }
}

describe('npm start -- --public-url', () => {
  it('npm start -- --public-url sets the address, and belief in the proxy on this machine', () => {
    assert.deepEqual(settingsOfOptions(['--public-url', 'https://trader.example.com/'], {}), {
      PUBLIC_URL: 'https://trader.example.com',
      TRUSTED_PROXIES: '127.0.0.1',
    })
  })

  it('npm start -- --public-url leaves the proxies as they are named', () => {
    const settings = settingsOfOptions(['--webhook-url', 'https://hooks.example.com'], {
      TRUSTED_PROXIES: '10.0.0.2',
    })
    assert.deepEqual(settings, { WEBHOOK_URL: 'https://hooks.example.com' })
    assert.deepEqual(settingsOfOptions([], {}), {})
  })

  it('npm start -- --public-url names every fault of the address', () => {
    const expected: Record<string, RegExp[]> = {
      'trader.example.com': [/must look like https:/],
      'localhost:3000': [/must look like https:/],
      'ftp://trader.example.com': [/must look like https:/],
      'http://trader.example.com': [/Without https/],
      'https://trader.example.com/app': [/no path such as \/app/],
      'https://jane:hunter2@trader.example.com': [/no user and no password/],
      'http://192.168.1.5:3000/app?x=1#y': [/path/, /query/, /fragment/, /within a network/, /https/],
      'https://127.0.0.1': [/this machine alone/],
      'https://trader.local': [/name within a network/],
    }
    for (const [address, faults] of Object.entries(expected)) {
      const told = faultsOf(address)
      assert.equal(told.length, faults.length, `${address}: ${told.join('; ')}`)
      for (const [place, fault] of faults.entries()) assert.match(told[place]!, fault)
      assert.doesNotMatch(told.join(), /hunter2/)
    }
  })

  it('npm start -- --public-url takes a port that people can use, which --webhook-url does not', () => {
    assert.deepEqual(faultsOf('https://trader.example.com:8443'), [])
    assert.match(faultsOf('https://hooks.example.com:8443', 'webhook-url').join(), /port 8443/)
    const summary = summariseOutside(
      { PUBLIC_URL: 'https://trader.example.com:8443', TRUSTED_PROXIES: '' },
      HERE,
    )!
    assert.match(summary, /TradingView +TradingView calls port 443 alone/)
  })
})

describe('the summary of npm start for the Internet', () => {
  it('the summary of npm start for the Internet is not there while people and senders stay on this machine', () => {
    assert.equal(summariseOutside({ TRUSTED_PROXIES: '' }, HERE), null)
  })

  it('the summary of npm start for the Internet shows where hooks are, what else is shown there and who is believed', () => {
    const alone = summariseOutside(
      { WEBHOOK_URL: 'https://hooks.example.com', TRUSTED_PROXIES: '127.0.0.1' },
      HERE,
    )!
    assert.match(alone, /https:\/\/hooks\.example\.com\/hooks\/… \(nothing else is shown there\)/)
    const all = summariseOutside({ PUBLIC_URL: 'https://trader.example.com', TRUSTED_PROXIES: '' }, HERE)!
    assert.match(all, /with the web app and the API[^]*no proxy: .*TRUSTED_PROXIES/)
  })
})
