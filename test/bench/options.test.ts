import assert from 'node:assert/strict'
import { floodersOf } from '#bench/flood/beside.ts'
import { helpOf, readOptions, scenarioNamed } from '#bench/scenario.ts'
import { SCENARIOS } from '#bench/scenarios.ts'

describe('the options of a benchmark', () => {
  const { burst, flood, beside } = SCENARIOS
  const refused = (message: RegExp, read: () => unknown) =>
    assert.throws(read, { name: 'UsageError', message })

  it('the options of a benchmark have defaults, and are numbers, texts and flags', () => {
    const options = { callers: '2,3', seconds: 10, tokens: 1, patient: true }
    const read = readOptions(flood, ['--callers', '2,3', '--patient', '--json'])
    assert.deepEqual(read, { options, json: true })
    assert.deepEqual(readOptions(burst, ['--exits', '0']), {
      options: { signals: 1_000, exits: 0 },
      json: false,
    })
  })

  it('name who floods, in the order of the stranger, one token, ten, one hook, and eighteen', () => {
    assert.deepEqual(floodersOf('all'), ['stranger', 'token', 'ten-tokens', 'hook', 'eighteen-hooks'])
    assert.deepEqual(floodersOf('token,stranger'), ['stranger', 'token'])
    refused(
      /--by takes all, or some of stranger, token, ten-tokens, hook, eighteen-hooks, not nobody, $/,
      () => floodersOf('nobody,token,'),
    )
  })

  it('the options of a benchmark are refused where they do not fit', () => {
    refused(/--seconds is at most 240/, () => readOptions(beside, ['--seconds', '241']))
    refused(/--signals must be a whole number, not 0/, () => readOptions(burst, ['--signals', '0']))
    refused(/callers/, () => readOptions(burst, ['--callers', '2']))
    refused(/there is no constructor, but floor, /, () => scenarioNamed(SCENARIOS, 'constructor'))
  })

  it('the options of a benchmark are explained by --help', () => {
    assert.equal(readOptions(flood, ['--help']), null)
    assert.match(helpOf('flood', flood), /--patient .*\n.*--json/)
  })
})
