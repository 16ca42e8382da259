// Ask a server through one client: plain and streamed, then with a tool, plain and streamed.
// node ask.mjs CLIENT URL QUESTION
// Prints the four answers, a line each. The tool is called by the client.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';

const [client, url, question] = process.argv.slice(2);
const description = 'What the weather is like in a city.';
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const weather = ({ city }) => `rain in ${city}`;

async function aiSdk() {
  const partbook = createOpenAICompatible({
    name: 'partbook', baseURL: url, apiKey: 'none', includeUsage: true,
  });
  const inputSchema = jsonSchema(parameters);
  const tools = { weather: tool({ description, inputSchema, execute: weather }) };
  for (const further of [{}, { tools, stopWhen: stepCountIs(3) }]) {
    const asked = { model: partbook('partbook'), prompt: question, ...further };
    console.log((await generateText(asked)).text);
    let streamed = '';
    for await (const text of streamText(asked).textStream) streamed += text;
    console.log(streamed);
  }
}

async function openaiForNode() {
  const { completions } = new OpenAI({ baseURL: url, apiKey: 'none' }).chat;
  const asked = { model: 'partbook', messages: [{ role: 'user', content: question }] };
  console.log((await completions.create(asked)).choices[0].message.content);
  let streamed = '';
  for await (const chunk of await completions.create({ ...asked, stream: true })) {
    streamed += chunk.choices[0]?.delta?.content ?? '';
  }
  console.log(streamed);
  const spelt = { name: 'weather', description, parameters, parse: JSON.parse, function: weather };
  const tools = [{ type: 'function', function: spelt }];
  for (const stream of [false, true]) {
    console.log(await completions.runTools({ ...asked, tools, stream }).finalContent());
  }
}

await (client === 'ai sdk' ? aiSdk() : openaiForNode());
