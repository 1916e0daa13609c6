import assert from 'node:assert/strict'
import { parseQuery, LONG_VALUES, MAX_LENGTH, MAX_PARAMETERS } from '#api/http/query.ts'
import { ROUTES } from '#api/routes.ts'
import { askRaw } from '../support/raw-request.ts'
import { useApi } from '../support/use-api.ts'

const valuesOf = (text: string) => parseQuery(text).values
const faultOf = (text: string) => parseQuery(text).faults[0]?.code ?? null
const times = (text: string, count: number) => Array<string>(count).fill(text).join('&')

describe('the query of a request', () => {
  it('the query of a request is read as forms write it', () => {
    assert.deepEqual(valuesOf('a=1&b=two+words&c=%C3%A4%26&d&=e&f=g=h'), {
      a: '1',
      b: 'two words',
      c: 'ä&',
      d: '',
      '': 'e',
      f: 'g=h',
    })
  })

  it('keeps what is no encoding as it is, and shows broken UTF-8 as such', () => {
    assert.deepEqual(valuesOf('a=%&b=%zz&c=%ff&d=%00'), { a: '%', b: '%zz', c: '\ufffd', d: '\0' })
  })

  it('gives all values of a parameter that comes several times, in order', () => {
    assert.deepEqual(valuesOf('a=1&b=2&a=3&a='), { a: ['1', '3', ''], b: '2' })
  })

  it('gives keys and tickets apart, however their names are written', () => {
    const { values, secrets } = parseQuery('a=1&apiKey=x&api%4Bey=y&ticket=z&apikey=w')
    assert.deepEqual(values, { a: '1', apikey: 'w' })
    assert.deepEqual(secrets, { apiKey: ['x', 'y'], ticket: ['z'] })
  })

  it(`the query of a request has at most ${MAX_PARAMETERS} parameters, empty ones among them`, () => {
    assert.equal(faultOf(times('a=1', MAX_PARAMETERS)), null)
    for (const text of ['a=1', 'a', '', 'apiKey=x', 'cursor=x'])
      assert.equal(faultOf(times(text, MAX_PARAMETERS + 1)), 'too_many_parameters', text)
  })

  it(`the query of a request is at most ${MAX_LENGTH} characters long, as it is written`, () => {
    const value = 'x'.repeat(MAX_LENGTH - 2)
    assert.equal(faultOf(`a=${value}`), null)
    for (const text of [`a=x${value}`, `xx${value}=`, `b=&a=${value}`, `a=${'%41'.repeat(683)}`])
      assert.equal(faultOf(text), 'query_too_long')
  })

  for (const [name, most] of LONG_VALUES)
    it(`the query of a request may have one ${name} of ${most} characters beside all else, but no longer one, and not two`, () => {
      const rest = `a=${'x'.repeat(MAX_LENGTH - 2)}`
      const one = `${name}=${'x'.repeat(most)}`
      assert.equal(faultOf(`${rest}&${one}`), null)
      assert.equal(faultOf(`${one}${'x'.repeat(2 * name.length + 1)}`), 'query_too_long')
      assert.equal(faultOf(`${rest}&${one}&${one}`), 'query_too_long')
    })

  it('reveals nothing of one that is too long', () => {
    for (const text of [times('apiKey=x', 60), `ticket=y&a=${'x'.repeat(3_000)}`]) {
      const { values, secrets } = parseQuery(text)
      assert.deepEqual([values, secrets], [{}, { apiKey: [], ticket: [] }])
    }
  })

  it('the query of a request of any route fits, with the longest value that each parameter takes', () => {
    const longest: Record<string, string> = {
      cursor: 'x'.repeat(300),
      sourceId: encodeURIComponent('😀'.repeat(255)),
      symbols: times('%41'.repeat(20), 50).replaceAll('&', '%2C'),
      lastEventId: '9'.repeat(19),
      secret: 'x'.repeat(43),
      since: 'x'.repeat(100),
      v: 'x'.repeat(22),
    }
    for (const { name, query } of ROUTES) {
      const parameters = Object.keys(query.shape)
      // Ids, instants with a zone, symbols, and several words of a list.
      const text = parameters.map((parameter) => `${parameter}=${longest[parameter] ?? 'x'.repeat(120)}`)
      assert.deepEqual(parseQuery([...text, `ticket=${'x'.repeat(43)}`].join('&')).faults, [], name)
    }
  })
})

describe('a query beyond its bounds', function () {
  this.timeout(60_000)
  const MANY = `?${'a&'.repeat(7_000)}`
  const LONG = `?limit=${'1'.repeat(3_000)}`
  let token: string
  const api = useApi({ webFolder: 'test/api/http' })
  before(async () => {
    ;({ token } = await api.addUser())
  })

  for (const [code, query] of [
    ['too_many_parameters', MANY],
    ['query_too_long', LONG],
  ] as const) {
    it(`a query beyond its bounds is answered 400 ${code} by every route, before anybody is let in`, async () => {
      for (const { method, address } of ROUTES) {
        const path = address.replaceAll(/:\w+/g, 'x')
        const { status, headers, text } = await askRaw(api.address, method, path + query)
        const body = JSON.parse(text)
        assert.equal(status, 400, path)
        assert.equal(body.details[0].code, code)
        assert.equal(body.requestId, headers['x-request-id'])
        assert.ok(text.length < 600)
      }
    })
  }

  it('a query beyond its bounds is answered so at addresses that no route has, and for a good credential', async () => {
    for (const path of ['/nowhere', '/api/v1/nowhere/', '/api/v1/signals']) {
      const { status, body } = await api.call('GET', path + LONG, { token })
      assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'], path)
    }
  })

  it('leaves nothing of it in the log', async () => {
    await askRaw(api.address, 'GET', `/api/v1/orders?canary=${'x'.repeat(3_000)}&apiKey=canary`)
    assert.doesNotMatch(JSON.stringify(api.log), /canary/)
  })
})
