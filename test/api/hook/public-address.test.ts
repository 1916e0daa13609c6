import assert from 'node:assert/strict'
import { addressFaults, whereaboutsOf } from '#api/hook/public-address.ts'
import { pluck } from '#test/support/pluck.ts'

const codes = (address: string) => pluck(addressFaults(address), 'code')

describe('an address for TradingView', () => {
  it('an address for TradingView is a public name by https on the usual port', () => {
    for (const address of [
      'https://trader.example.com',
      'https://trader.example.com.',
      'https://93.184.216.34',
    ])
      assert.deepEqual(codes(address), [], address)
  })

  it('an address for TradingView has every fault named that keeps it from being called', () => {
    const expected = {
      'http://127.0.0.1:3000': ['this_machine', 'not_https', 'port'],
      'https://localhost': ['this_machine'],
      'https://[::1]': ['this_machine'],
      'https://127.9.9.9': ['this_machine'],
      'https://2130706433': ['this_machine'],
      'https://192.168.1.5:8443': ['private_network', 'port'],
      'https://100.101.102.103': ['private_network'],
      'https://[fd7a:115c::1]': ['private_network'],
      'https://[2a00:1450::8a]': ['ipv6'],
      'https://trader': ['private_name'],
      'https://trader.local': ['private_name'],
      'https://trader.home.arpa.': ['private_name'],
      'http://trader.example.com': ['not_https'],
      'https://trader.example.com:8443': ['port'],
    }
    for (const [address, faults] of Object.entries(expected))
      assert.deepEqual(codes(address), faults, address)
  })
})

describe('the whereabouts of a sender', () => {
  it('the whereabouts of a sender follow from its address', () => {
    const expected = {
      '127.0.0.1': 'this_machine',
      '::1': 'this_machine',
      '': 'this_machine',
      '10.1.2.3': 'private_network',
      '172.30.93.1': 'private_network',
      '100.64.0.1': 'private_network',
      'fe80::1': 'private_network',
      '52.89.214.238': 'outside',
      '2a00:1450::8a': 'outside',
    }
    for (const [ip, place] of Object.entries(expected)) assert.equal(whereaboutsOf(ip), place, ip)
  })
})
