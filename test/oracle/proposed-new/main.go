// An oracle for the tests of provider/shim: what the engine itself proposes, normalises and in which order it walks a set.
// It is built inside the engine's own module (see build.ts) and speaks JSON lines: a block and two values in, values out.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	"github.com/opentofu/opentofu/internal/configs/configschema"
	"github.com/opentofu/opentofu/internal/plans/objchange"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

type attribute struct {
	Type     json.RawMessage      `json:"type"`
	Mode     string               `json:"mode"`
	Nested   map[string]attribute `json:"nested"`
	Required bool                 `json:"required"`
	Optional bool                 `json:"optional"`
	Computed bool                 `json:"computed"`
}

type nestedBlock struct {
	Mode  string `json:"mode"`
	Block block  `json:"block"`
}

type block struct {
	Attributes map[string]attribute   `json:"attributes"`
	Blocks     map[string]nestedBlock `json:"blocks"`
}

type question struct {
	Block  block  `json:"block"`
	Prior  string `json:"prior"`
	Config string `json:"config"`
}

type answer struct {
	Proposed   string `json:"proposed,omitempty"`
	Normalized string `json:"normalized,omitempty"`
	Error      string `json:"error,omitempty"`
}

var modes = map[string]configschema.NestingMode{
	"single": configschema.NestingSingle,
	"group":  configschema.NestingGroup,
	"list":   configschema.NestingList,
	"set":    configschema.NestingSet,
	"map":    configschema.NestingMap,
}

func attributesOf(in map[string]attribute) (map[string]*configschema.Attribute, error) {
	out := map[string]*configschema.Attribute{}
	for name, a := range in {
		made := &configschema.Attribute{Required: a.Required, Optional: a.Optional, Computed: a.Computed}
		if a.Nested != nil {
			inner, err := attributesOf(a.Nested)
			if err != nil {
				return nil, err
			}
			made.NestedType = &configschema.Object{Attributes: inner, Nesting: modes[a.Mode]}
		} else {
			ty, err := ctyjson.UnmarshalType(a.Type)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			made.Type = ty
		}
		out[name] = made
	}
	return out, nil
}

func blockOf(in block) (*configschema.Block, error) {
	attributes, err := attributesOf(in.Attributes)
	if err != nil {
		return nil, err
	}
	out := &configschema.Block{Attributes: attributes, BlockTypes: map[string]*configschema.NestedBlock{}}
	for name, nested := range in.Blocks {
		inner, err := blockOf(nested.Block)
		if err != nil {
			return nil, err
		}
		out.BlockTypes[name] = &configschema.NestedBlock{Block: *inner, Nesting: modes[nested.Mode]}
	}
	return out, nil
}

func decode(text string, ty cty.Type) (cty.Value, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return cty.NilVal, err
	}
	return msgpack.Unmarshal(raw, ty)
}

func encode(value cty.Value, ty cty.Type) (string, error) {
	raw, err := msgpack.Marshal(value, ty)
	return base64.StdEncoding.EncodeToString(raw), err
}

func solve(q question) (a answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	schema, err := blockOf(q.Block)
	if err != nil {
		return a, err
	}
	ty := schema.ImpliedType()
	prior, err := decode(q.Prior, ty)
	if err != nil {
		return a, fmt.Errorf("prior: %w", err)
	}
	config, err := decode(q.Config, ty)
	if err != nil {
		return a, fmt.Errorf("config: %w", err)
	}
	if a.Proposed, err = encode(objchange.ProposedNew(schema, prior, config), ty); err != nil {
		return a, err
	}
	a.Normalized, err = encode(objchange.NormalizeObjectFromLegacySDK(prior, schema), ty)
	return a, err
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var q question
		var a answer
		err := json.Unmarshal(in.Bytes(), &q)
		if err == nil {
			a, err = solve(q)
		}
		if err != nil {
			a = answer{Error: err.Error()}
		}
		line, _ := json.Marshal(a)
		out.Write(line)
		out.WriteByte('\n')
	}
}
