import assert from 'node:assert/strict'
import { BrokerCredentialsError } from '#brokers/port.ts'
import { pluck } from '#test/support/pluck.ts'
import { connectBroker } from '#brokers/registry.ts'
import { brokerTypes, describeBrokerType } from '#domain/account/broker-types.ts'

const connection = { brokerType: 'alpaca', baseUrl: 'http://127.0.0.1:1' }

describe('Broker registry', () => {
  it('connects every type of the catalogue with the credentials that it names', () => {
    for (const { type, credentials, baseUrls } of brokerTypes) {
      assert.ok(
        connectBroker({
          brokerType: type,
          baseUrl: baseUrls.demo!,
          credentials: Object.fromEntries(credentials.map(({ key }) => [key, 'x'])),
        }),
      )
    }
  })

  it('knows paper and Alpaca, and nothing that merely looks like a type', () => {
    assert.deepEqual(pluck(brokerTypes, 'type'), ['paper', 'alpaca'])
    assert.equal(describeBrokerType('paper').baseUrls.live, null)
    assert.throws(() => describeBrokerType('__proto__'), RangeError)
    assert.throws(
      () => connectBroker({ ...connection, brokerType: '__proto__', credentials: {} }),
      RangeError,
    )
  })

  for (const credentials of [
    {},
    { keyId: 'x' },
    { keyId: '', secretKey: 'x' },
    { keyId: 'x', secretKey: 'two\r\nlines' },
  ]) {
    it(`Broker registry does not take ${JSON.stringify(credentials)} for Alpaca's keys`, () => {
      assert.throws(() => connectBroker({ ...connection, credentials }), BrokerCredentialsError)
    })
  }

  for (const baseUrl of ['ftp://broker', 'nonsense']) {
    it(`Broker registry does not take ${baseUrl} for an address`, () => {
      const credentials = { keyId: 'x', secretKey: 'y' }
      assert.throws(() => connectBroker({ ...connection, baseUrl, credentials }), TypeError)
    })
  }
})
