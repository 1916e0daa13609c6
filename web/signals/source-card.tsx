import { Panel } from '../parts/panel.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { useSource } from './story-data.ts'

/** The body as it came, but for secrets. */
export function SourceCard({ id }: { id: string }) {
  const { data, isError } = useSource(id)
  const body = data?.body
  const bytes = body == null ? 0 : new TextEncoder().encode(body).length
  return (
    <Panel
      title="As it came"
      aside={
        body != null && (
          <span className="flex items-center gap-3 text-xs text-muted">
            {bytes.toLocaleString('en-US')} bytes <CopyButton text={body} what="the body" />
          </span>
        )
      }
    >
      {body == null ? (
        <p className="p-4 text-muted">
          {isError ? 'It could not be read.' : data ? 'Its body was not kept.' : 'One moment…'}
        </p>
      ) : (
        <CodeBlock label="Body">{pretty(body)}</CodeBlock>
      )}
    </Panel>
  )
}

/** JSON with its fields on lines of their own; any other text as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
