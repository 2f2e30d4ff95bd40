type Child = Node | string | null

type Attributes = Readonly<Record<string, string>>

/**
 * An element, named with its classes such as `p.says`, with attributes and children. A text becomes a text node and is never parsed as
 * HTML.
 */
export function element(name: string, ...parts: readonly (Child | Attributes)[]): HTMLElement {
  const [tag = '', ...classes] = name.split('.')
  const made = document.createElement(tag)
  if (classes.length > 0) made.setAttribute('class', classes.join(' '))
  for (const part of parts)
    if (typeof part === 'string' || part instanceof Node) made.append(part)
    else for (const [key, value] of Object.entries(part ?? {})) made.setAttribute(key, value)
  return made
}

/** A section with its title; addresses within the page name its id. */
export function section(id: string, level: 'h2' | 'h3', title: string, ...children: readonly Child[]): HTMLElement {
  const heading = element(level, { id: `${id}-title` }, title)
  return element('section', { id, 'aria-labelledby': `${id}-title` }, heading, ...children)
}

/** What the reader can open. */
export function details(kind: string, summary: string, ...children: readonly Child[]): HTMLElement {
  return element('details', { class: kind }, element('summary', summary), ...children)
}

/** A table that can also be scrolled by keyboard. `heads`: the cells of its head. */
export function scrolledTable(
  id: string,
  title: string,
  label: string,
  heads: readonly HTMLElement[],
  body: HTMLElement,
): HTMLElement {
  const caption = element('caption.unseen', title)
  const head = element('thead', element('tr', ...heads))
  const table = element('table', { id: `${id}-table` }, caption, head, body)
  return element('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': label }, table)
}

export function svgElement(name: string, attributes: Attributes, ...children: readonly SVGElement[]): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** Text from other people, in its own direction. A text with more than `most` characters is cut, and the reader can open all of it. */
export function foreignText(text: string, most: number): HTMLElement {
  const characters = [...text]
  if (characters.length <= most) return element('bdi', text)
  return element(
    'details.long',
    element('summary', element('bdi', `${characters.slice(0, most - 1).join('')}…`)),
    element('bdi', { class: 'whole', tabindex: '0' }, text),
  )
}

/** Whether a text is an id or address, perhaps after the name of its chain, that is too long to be shown whole. */
export function isId(text: string): boolean {
  return /^(\w+ )?[A-Za-z0-9-]{32,96}$/.test(text)
}

/** An id; the style shows both of its ends. All of it stays in the page: for copies, searches, screen readers and on hover. */
export function idText(id: string): HTMLElement {
  return element('bdi', { class: 'id', title: id }, element('span.start', id.slice(0, -6)), id.slice(-6))
}

/** A button that copies a text. Where the browser does not allow this, it selects the text for the reader to copy. */
function copyButton(source: HTMLElement, what: string): HTMLElement {
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${what}` }, 'Copy')
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent ?? '')
      button.textContent = 'Copied'
    } catch {
      getSelection()?.selectAllChildren(source)
      button.textContent = 'Marked'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
  return button
}

/** Code of several lines, which can also be scrolled by keyboard. */
export function codeBlock(text: string, what: string): HTMLElement {
  const code = element('code', text)
  return element(
    'div.code',
    element('pre', { tabindex: '0', role: 'group', 'aria-label': what }, code),
    copyButton(code, what),
  )
}
