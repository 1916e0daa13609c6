import assert from 'node:assert/strict'
import { everyPage } from '#web/connection/every-page.ts'
import { csvOf } from '#web/parts/csv.ts'

describe('a list as comma-separated values', () => {
  it('a list as comma-separated values has a line of names, and ends each line as RFC 4180 wants it', () => {
    assert.equal(csvOf([{ note: 'a' }, { note: 12.5 }, { note: null }], 'note'), 'note\r\na\r\n12.5\r\n\r\n')
  })

  it('quotes characters that would end a cell or a line', () => {
    assert.equal(csvOf([{ note: 'a "b", c\nd' }], 'note'), 'note\r\n"a ""b"", c\nd"\r\n')
  })

  it('makes no formula of a text, and leaves negative figures as they are', () => {
    const texts = ['=1+1', '+1', '-1', '@A1', '\tx']
    const lines = csvOf(
      texts.map((note) => ({ note })),
      'note',
    ).split('\r\n')
    for (const line of lines.slice(1, -1)) assert.ok(line.startsWith("'"), line)
    assert.equal(csvOf([{ note: -3 }], 'note'), 'note\r\n-3\r\n')
  })
})

describe('a list read page by page', () => {
  const pages = [
    { rows: [1, 2], total: 3, nextCursor: 'b' },
    { rows: [3], total: 3, nextCursor: null },
  ]
  const read = ({ cursor }: { cursor?: string }) => Promise.resolve(pages[cursor === 'b' ? 1 : 0]!)

  it('a list read page by page has the rows of all pages, and shows its progress after each', async () => {
    const told: string[] = []
    const progress = (rows: number, total: number) => void told.push(`${rows} of ${total}`)
    assert.deepEqual(await everyPage(read, ({ rows }) => rows, { progress }), [1, 2, 3])
    assert.deepEqual(told, ['2 of 3', '3 of 3'])
  })
})
