import assert from 'node:assert/strict'
import { readFloodOptions } from '#bench/flood/options.ts'

describe('the options of the benchmark of floods', () => {
  const refused = (message: RegExp, ...args: string[]) =>
    assert.throws(() => readFloodOptions(args), { name: 'UsageError', message })

  it('without --by are those of more and more callers', () => {
    assert.deepEqual(readFloodOptions(['--callers', '2,3', '--patient']), {
      callers: [2, 3],
      seconds: 10,
      tokens: 1,
      isPatient: true,
      json: false,
    })
  })

  it('with --by name who floods, in the order of the stranger, one token, and ten', () => {
    const all = ['stranger', 'token', 'ten-tokens']
    assert.deepEqual(readFloodOptions(['--by', 'all']), { by: all, seconds: 60, json: false })
    const two = readFloodOptions(['--by', 'token,stranger', '--seconds', '2', '--json'])
    assert.deepEqual(two, { by: ['stranger', 'token'], seconds: 2, json: true })
  })

  it('are refused where they do not fit, with everything that does not', () => {
    refused(/--by takes all, or some of stranger, token, ten-tokens, not nobody, $/, '--by', 'nobody,token,')
    refused(/--seconds is at most 240/, '--by', 'all', '--seconds', '241')
    refused(/does not go together with --callers, --patient/, '--by', 'all', '--callers', '2', '--patient')
  })

  it('are explained by --help', () => {
    assert.equal(readFloodOptions(['--help']), null)
  })
})
