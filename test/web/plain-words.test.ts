import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const WEB = join(import.meta.dirname, '../../web')

/** Words that no trader uses, and what brokers' apps say instead. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/(?:left|\}) to trade with/i, 'buying power'],
  [/(['"`>])Notified\1|[Tt]old by the broker/, 'Updated'],
  [/deepest fall/i, 'max drawdown'],
  [/Won per \$ lost/, 'Profit factor'],
  [/(['"`])(?:Won|Stands|May|Made|Ends|News)\1/, 'Win rate, Status, Scopes, Created, Expires, Live updates'],
  [/What is to know/, 'Details'],
  [/Came to nothing/, 'Not executed'],
  [/On their way/, 'Sending'],
  [/for today only/, 'Time in force: Day'],
  [/(?:buy(?:s|ing)?|bought) back/i, 'Buy to cover, bought to cover'],
  [/Our name of it/, 'Client order id'],
  [/Ask\s+the broker/, 'Refresh'],
  [/Work that is late/, 'Overdue work'],
]

describe('the words of the web app', () => {
  it('the words of the web app are those that traders know', async () => {
    const files = await readdir(WEB, { recursive: true })
    const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('dist'))
    assert.ok(sources.length > 100)
    const found: string[] = []
    for (const file of sources) {
      const text = await readFile(join(WEB, file), 'utf8')
      for (const [old, plain] of PLAIN) {
        const [hit] = old.exec(text) ?? []
        if (hit !== undefined) found.push(`${file}: ${hit}, say: ${plain}`)
      }
    }
    assert.deepEqual(found, [])
  })
})
