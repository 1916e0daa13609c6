import assert from 'node:assert/strict'
import { apiSettings, readSettings, SettingsError } from '#config/env.ts'

describe('PUSH_SERVICES', () => {
  it('lists origins of http and https', () => {
    const PUSH_SERVICES = 'https://push.example.com, http://127.0.0.1:9000'
    assert.deepEqual(readSettings(apiSettings, { PUSH_SERVICES }).PUSH_SERVICES, [
      'https://push.example.com',
      'http://127.0.0.1:9000',
    ])
    assert.deepEqual(readSettings(apiSettings, {}).PUSH_SERVICES, [])
  })

  for (const PUSH_SERVICES of [
    'push.example.com',
    'https://push.example.com/path',
    'ftp://push.example.com',
    '*',
  ])
    it(`PUSH_SERVICES is refused as ${PUSH_SERVICES}`, () => {
      assert.throws(() => readSettings(apiSettings, { PUSH_SERVICES }), SettingsError)
    })
})
