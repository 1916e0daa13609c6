import assert from 'node:assert/strict'
import { read, repositoryFiles } from './source-files.ts'

interface Rule {
  /** With the requirement of the OWASP ASVS 5.0 that asks for it. */
  name: string
  pattern: RegExp
  /** A text that the pattern finds: a rule that finds nothing would guard nothing. */
  sample: string
}

const RULES: Rule[] = [
  {
    name: 'make no markup from text (3.2.2)',
    pattern: /dangerouslySetInnerHTML|\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write/,
    sample: '<p dangerouslySetInnerHTML={{ __html: note }} />',
  },
  {
    name: 'take messages of tabs and workers of their own origin alone (3.5.5)',
    pattern: /\b(window|globalThis|self)\.(addEventListener\(\s*'message'|onmessage)/,
    sample: "globalThis.addEventListener('message', (event) => open(event.data))",
  },
  {
    name: 'need no plug-in (3.7.1)',
    pattern: /<(object|embed|applet)\b/,
    sample: '<embed src="chart.swf" />',
  },
  {
    name: 'mask every password (6.2.6)',
    pattern: /\bname="(p|\w+P)assword"(?!\s+type="password")/,
    sample: '<Field label="Password" name="password" type="text" />',
  },
  {
    name: 'leave pasting to the browser (6.2.7)',
    pattern: /\bonPaste\b|addEventListener\(\s*'paste'/,
    sample: '<input onPaste={(event) => event.preventDefault()} />',
  },
]

describe('the sources of the web app', () => {
  const sources = [...repositoryFiles('.ts'), ...repositoryFiles('.tsx')].filter((path) =>
    path.startsWith('web/'),
  )

  for (const { name, pattern, sample } of RULES)
    it(name, () => {
      assert.match(sample, pattern)
      assert.ok(sources.length > 100, `${sources.length} sources`)
      const found = sources.filter((path) => pattern.test(read(path)))
      assert.deepEqual(found, [])
    })
})
